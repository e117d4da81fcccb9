"""Naive Bayes over 20 parties at ε = 0.1: masked sums and noise at the party beside the trusted coordinator.

The whole protocol, with files, signatures and masks; two of the parties may collude and two vanish. Generated
patients, 1,000 at each party; scored on others.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.figures import Figure
from privet.curator.tables import as_source
from privet.demo.patients import TARGET, patients, public_knowledge
from privet.masking import OneTimeKey
from privet.parties import Coordinator, Exchange, Party, PartyStudy
from privet.schema import Schema
from privet.signing import make_keys

PARTIES, EACH, REPEATS, EPSILON = 20, 1000, 5, 0.1


def run() -> list[Figure]:
    test = patients(20_000, seed=7)
    scores: dict[str, list[float]] = {"trusted": [], "masked": [], "party-noise": []}
    for repeat in range(REPEATS):
        whole = patients(PARTIES * EACH, seed=100 + repeat)
        for mode, found in scores.items():
            found.append(_accuracy(_study(mode, whole), test))
    means = {mode: float(np.mean(found)) for mode, found in scores.items()}
    return [
        *(Figure(f"accuracy at ε = {EPSILON}, {PARTIES} parties: {m}", v, unit="") for m, v in means.items()),
        Figure(
            "lost by masked sums, to the trusted coordinator",
            means["trusted"] - means["masked"],
            0.02,
            unit="",
        ),
    ]


def _accuracy(model: Any, test: pa.Table) -> float:
    truth = np.array(test[TARGET].to_pylist(), dtype=str)
    return float((model.predict(test.drop_columns([TARGET])).astype(str) == truth).mean())


def _study(mode: str, whole: pa.Table) -> Any:
    with tempfile.TemporaryDirectory() as name:
        folder, server = Path(name), OneTimeKey.make()
        names = [f"clinic-{number:02}" for number in range(PARTIES)]
        keys = {each: make_keys(folder / each)[1].read_text() for each in names}
        more = {"honest": 16, "colluding": 2} if mode == "masked" else {}
        schema: Schema = public_knowledge()
        study = PartyStudy("patients", schema, EPSILON, mode, keys, coordinator=server.public.hex(), **more)  # type: ignore[arg-type]
        exchange = Exchange.make(folder / "shared", study)
        coordinator = Coordinator(exchange, server.private)
        parties = [Party(exchange, each, folder / each, folder / f"{each}.receipts") for each in names]
        if mode == "masked":
            _all(parties, whole)
            coordinator.step()
        _all(parties, whole)
        outcome = coordinator.step()
        if mode == "masked":
            _all(parties, whole)
            _all(parties, whole)
            outcome = coordinator.step()
        return outcome.model


def _all(parties: list[Party], whole: pa.Table) -> None:
    for number, party in enumerate(parties):
        party.step(lambda schema, n=number: as_source(whole.slice(n * EACH, EACH)))  # type: ignore[misc]
