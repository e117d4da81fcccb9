"""Tables to perturb, with schemas whose bounds are declared."""

from __future__ import annotations

import numpy as np
import pytest

from privet.schema import Schema

WIDTH = 4


@pytest.fixture
def schema():
    return Schema.of(
        {
            **{f"x{j}": (-10.0 - j, 10.0 + 2 * j) for j in range(WIDTH)},
            "town": ["a", "b"],
            "ill": ["no", "yes"],
        },
        target="ill",
    )


@pytest.fixture
def numbers():
    generator = np.random.default_rng(5)
    base = generator.normal(size=(600, WIDTH)) @ generator.normal(size=(WIDTH, WIDTH))
    return np.clip(base, -9, 9)


@pytest.fixture
def frame(numbers):
    import pandas as pd

    generator = np.random.default_rng(6)
    table = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(WIDTH)])
    table["town"] = generator.choice(["a", "b"], len(table))
    table["ill"] = generator.choice(["no", "yes"], len(table))
    return table
