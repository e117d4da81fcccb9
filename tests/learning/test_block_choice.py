"""The number of blocks and the outputs' shares are chosen by what is public."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from privet import Schema
from privet.errors import ParameterError
from privet.learning.block_choice import by_aged, by_theory
from privet.learning.sample_aggregate import SampleAggregate

SCHEMA = Schema.of({"age": (0.0, 100.0), "cost": (0.0, 100.0)})


def made_up_outputs(bias, spread):
    """Outputs whose bias falls with the size of a block, and which spread as given."""

    def outputs(number, size):
        shift = bias / np.sqrt(size)
        steps = np.linspace(-1, 1, number)[:, None] / np.sqrt(size)
        return np.clip(0.5 + shift + steps * np.array(spread), 0, 1)

    return outputs


def test_a_function_with_bias_gets_larger_blocks():
    straight = by_aged(made_up_outputs(0.0, [0.1]), 5000, 5000, 1.0, None)
    bent = by_aged(made_up_outputs(2.0, [0.1]), 5000, 5000, 1.0, None)
    assert straight.blocks >= 8 * bent.blocks
    assert by_theory(10_000) == 40


def test_outputs_that_spread_less_get_more_of_the_budget():
    steady, wild = by_aged(made_up_outputs(0.0, [0.1, 2.0]), 5000, 5000, 1.0, 50).weights
    assert steady > 4 * wild
    assert steady + wild == 1
    with pytest.raises(ParameterError, match="too few"):
        by_aged(made_up_outputs(0.0, [0.1]), 3, 100_000, 1.0, None)


@pytest.mark.filterwarnings("ignore")
def test_it_chooses_and_the_mean_comes_out():
    draw = np.random.default_rng(1)
    table = pd.DataFrame({"age": draw.normal(40, 10, 3000).clip(0, 100), "cost": draw.random(3000) * 100})
    mean = lambda block: [block["age"].mean(), block["cost"].mean()]  # noqa: E731
    options = {"low": [0, 0], "high": [100, 100], "epsilon": 8.0, "schema": SCHEMA, "records": 3000}
    by_size = SampleAggregate(mean, blocks=None, resample=2, **options).fit(table.head(1500))
    assert by_size.blocks_ == by_theory(3000)
    chosen = SampleAggregate(mean, blocks=None, aged=table.head(400), ranges="loose", **options)
    chosen.fit(table.tail(2000))
    assert np.abs(chosen.value_ - [40, 50]).max() < 15
    assert any("aged" in what for what, _ in chosen.guarantee_.public)
    with pytest.raises(ParameterError, match="records"):
        SampleAggregate(mean, low=[0, 0], high=[100, 100], blocks=None, schema=SCHEMA).fit(table)
    with pytest.raises(ParameterError, match="means"):
        SampleAggregate(mean, aggregate="median", resample=2, **options).fit(table)
