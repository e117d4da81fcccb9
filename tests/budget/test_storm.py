"""The short form of ``python -m benchmarks ledger_storm``: kills, crashes, and exact accounting."""

from __future__ import annotations

import json

import psycopg
import pytest

from benchmarks.storm import account, storm
from privet.budget import exact


def test_postgres_loses_nothing_and_grants_nothing_twice(postgres, postgres_url, tmp_path):
    def crash():
        postgres.crash()
        postgres.start()

    tally = storm(postgres_url, tmp_path, steps=120, kills=5, crash=crash, crashes=1, seed=1)
    assert tally.faults == 0, tally
    assert 1 <= tally.killed + tally.crashes <= 6  # a busy machine may end the round before all have struck
    assert tally.commits > 100
    # The accounting sees what it is there for: an acknowledged commit that is gone, one spend too many.
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute(
            "SELECT body FROM privet_ledger.history WHERE kind = 'commit' ORDER BY number DESC LIMIT 1"
        ).fetchone()
    assert found is not None
    (tmp_path / "notes-0").write_text(f"committed 999\nreserved {json.loads(found[0])['reservation']}\n")
    faulty = account(postgres_url, tmp_path, exact("0.119"), 0, 0)
    assert (faulty.lost, faulty.overspent) == (1, 2)
    assert faulty.double in (0, 1)  # 0 only if that reservation's own note was cut off by a kill


@pytest.mark.parametrize("seed", [2])
def test_sqlite_loses_nothing_and_grants_nothing_twice(tmp_path, seed):
    tally = storm(str(tmp_path / "ledger.db"), tmp_path, steps=60, kills=4, seed=seed)
    assert tally.faults == 0, tally
    assert 1 <= tally.killed <= 4  # a busy machine may end the round before all have struck
