"""A published Bayesian network: columns beside its tables are not counted, and an exchange counts once."""

from __future__ import annotations

import numpy as np
import pytest

from privet.learning.synthesise import Synthesiser
from privet.schema import Schema, Unit
from reproduction.peers.network_tables import loss_of_columns, loss_of_tables


def exchanged(columns, records=20):
    """A table of zeros and ones, and the same with one record of zeros exchanged for one of ones."""
    table = np.repeat([[0] * columns, [1] * columns], records, axis=0)
    other = table.copy()
    other[0] = 1
    return table, other


@pytest.mark.parametrize("columns", [2, 5, 12])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_columns_and_tables_lose_twice_what_is_claimed(columns, epsilon):
    one, other = exchanged(columns)
    assert loss_of_columns(one, other, epsilon) == pytest.approx(epsilon)  # all of it, before anything else
    assert loss_of_tables(one, other, epsilon) == pytest.approx(
        epsilon
    )  # meant to be a half: the 2 is missing


def test_privet_s_own_tables_cost_what_is_claimed_in_all():
    """Every table is paid for from one ε, and an exchange moves two counts."""
    columns = {f"x{place}": [0, 1] for place in range(5)}
    schema = Schema.of(columns, unit=Unit("replace"))
    guarantee = Synthesiser(epsilon=1.0, schema=schema).rehearse()
    assert sum(float(step.amount.epsilon) for step in guarantee.steps) == pytest.approx(1.0)
