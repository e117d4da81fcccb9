"""The statistics of the linear models: exhaustive and random neighbours, exact sums, two renderings."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.engines import MemoryEngine
from privet.errors import DataError, ParameterError
from privet.schema import Category, Number, Schema, Unit
from privet.sources import ArraySource, ArrowSource
from privet.stats import Predictor, Rows
from privet.stats.linear.encoding import Encoding
from privet.stats.linear.gradient import Gradient, probabilities
from privet.stats.linear.product_kernels import FINE
from privet.stats.linear.products import Products
from privet.stats.linear.steepest import SteepestCoordinate
from privet.stats.paired import ErrorDifferences
from privet.stats.regression_errors import RegressionErrors
from privet.stats.residual_counts import ResidualCounts

COLUMNS = (
    Number("x", -1.0, 3.0),
    Category("colour", ("red", "green"), other="else"),
    Number("z", 0.0, 1.0),
    Category("size", ("s", "l")),
    Category("ill", ("no", "yes")),
    Category("kind", ("a", "b", "c")),
    Number("wage", 0.0, 10.0),
    Category("place", tuple("abcdef")),
    Category("street", tuple("ghijk"), other="none"),
)
KINDS = tuple(pa.float64() if isinstance(column, Number) else pa.string() for column in COLUMNS)
NAMES = [column.name for column in COLUMNS]
RECORDS = [
    (x, colour, z, size, ill, kind, wage, place, street)
    for x in (-50.0, -1.0, 1.4, 3.0, None)
    for colour in ("red", "mauve", None)
    for z in (0.0, 0.3, 1.0)
    for size in ("l", None)
    for ill, kind, wage, place, street in (
        ("no", "a", 0.0, "a", "g"),
        ("yes", "c", 10.0, "f", "i"),
        (None, None, None, None, "q"),
        ("yes", "b", 4.0, "b", None),
    )
]


def schema(unit=None, target=None, names=NAMES):
    return Schema(tuple(c for c in COLUMNS if c.name in names), target=target, unit=unit or Unit())


def batch(records):
    return pa.record_batch(
        [pa.array([r[i] for r in records], kind) for i, kind in enumerate(KINDS)], names=NAMES
    )


def encoding(*names):
    return Encoding(tuple(column for column in COLUMNS if column.name in names))


MIXED = encoding("x", "colour", "z", "size")
BINNED = Encoding(MIXED.columns, bins=4)
DRAW = np.random.default_rng(0)


@dataclass(frozen=True)
class Constant:
    """A released model that predicts one number."""

    number: float

    def _predictions(self, rows):
        return np.full(rows.size, self.number)


LARGE = 50 * DRAW.standard_normal((3, MIXED.width))
STATISTICS = {
    "products": Products(MIXED),
    "products between": Products(MIXED, sums=False, squares=False),
    "products and squares": Products(MIXED, sums=False),
    "products with a target": Products(encoding("x", "colour", "z", "wage"), target="wage", squares=False),
    "products with a class": Products(encoding("x", "colour", "z", "kind"), target="kind"),
    "products of many values": Products(encoding("x", "z", "size", "place", "street")),
    "products of many values with a class": Products(encoding("x", "place", "ill"), target="ill"),
    "products of numbers": Products(encoding("x", "z")),
    "products given a number": Products(MIXED, given="wage"),
    "products given a class": Products(encoding("x", "z", "place", "kind"), target="kind", given="kind"),
    "gradient at zero": Gradient(np.zeros((1, MIXED.width)), "ill", MIXED),
    "gradient far off": Gradient(LARGE[:1], "ill", MIXED),
    "gradient of numbers": Gradient(10 * np.ones((1, 3)), "ill", encoding("x", "z")),
    "gradient of three classes": Gradient(LARGE, "kind", MIXED),
    "gradient of three classes at zero": Gradient(np.zeros((3, MIXED.width)), "kind", MIXED),
    "gradient of bins": Gradient(20 * DRAW.standard_normal((1, BINNED.width)), "ill", BINNED),
    "gradient of bins, three classes": Gradient(np.ones((3, BINNED.width)), "kind", BINNED),
    "errors": RegressionErrors(Predictor(Constant(1e9), ("x",)), "wage"),
    "errors of no use": RegressionErrors(Predictor(Constant(np.nan), ("x",)), "wage"),
    "residuals": ResidualCounts(Predictor(Constant(1e9), ("x",)), "wage", 8),
    "residuals of no use": ResidualCounts(Predictor(Constant(np.nan), ("x",)), "wage", 8),
    "differences": ErrorDifferences(
        Predictor(Constant(1e9), ("x",)), Predictor(Constant(-1e9), ("x",)), "wage"
    ),
    "differences to one of no use": ErrorDifferences(
        Predictor(Constant(1e9), ("x",)), Predictor(Constant(np.nan), ("x",)), "wage"
    ),
}
by_statistic = pytest.mark.parametrize("statistic", STATISTICS.values(), ids=STATISTICS)
by_relation = pytest.mark.parametrize("relation", ["add_remove", "replace"])


def exact(statistic, records, public=None):
    public = public or schema()
    state = statistic.fold(statistic.start(public), Rows(batch(records), public))
    return statistic.finish(state, public)


def norms(moved):
    flat = np.ravel(moved).astype(object)
    return int(np.abs(flat).sum()), int((flat**2).sum())


def contributions(statistic):
    return list({c.tobytes(): c for c in (exact(statistic, [r]) for r in RECORDS)}.values())


@by_statistic
@by_relation
def test_every_pair_of_neighbours_stays_within_the_sensitivity(statistic, relation):
    declared = statistic.sensitivity(schema(Unit(relation)))
    each = contributions(statistic)
    if relation == "replace":
        each = [one - other for one, other in itertools.product(each[:60], each)]
    moved = [norms(one) for one in each]
    assert max(l1 for l1, _ in moved) <= declared.l1
    assert max(l2 for _, l2 in moved) <= declared.squared_l2


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in STATISTICS if name.startswith("products")),
        "gradient of numbers",
        "residuals",
        "differences",
    ],
)
def test_the_bound_is_attained(name):
    statistic = STATISTICS[name]
    declared = statistic.sensitivity(schema())
    l1, l2 = (max(norm) for norm in zip(*map(norms, contributions(statistic)), strict=True))
    if name == "gradient of numbers":  # a residual of 1 is never reached, only approached
        assert 0.99 * declared.l1 < l1 <= declared.l1
    else:
        assert (l1, l2) == (declared.l1, declared.squared_l2)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1e101])
def test_weights_that_are_no_numbers_are_refused(weight):
    """The bounds are about margins that are numbers."""
    with pytest.raises(ParameterError, match="finite"):
        Gradient(np.full((1, MIXED.width), weight), "ill", MIXED)
    largest = Gradient(np.full((1, MIXED.width), 1e100), "ill", MIXED)
    assert max(norms(c)[0] for c in contributions(largest)) <= largest.sensitivity(schema()).l1


@pytest.mark.parametrize("name", ["wage", "kind"])
def test_records_without_what_is_given_count_nowhere(name):
    place = NAMES.index(name)
    there = [record for record in RECORDS if record[place] is not None]
    assert 0 < len(there) < len(RECORDS)
    np.testing.assert_array_equal(exact(Products(MIXED, given=name), RECORDS), exact(Products(MIXED), there))
    gone = [record for record in RECORDS if record[place] is None]
    assert not exact(Products(MIXED, given=name), gone).any()


def test_the_bound_of_the_gradient_is_nearly_attained():
    """The witness can fail: half the declared sensitivity would be exceeded by far."""
    for name in ("gradient far off", "gradient of three classes"):
        statistic = STATISTICS[name]
        declared = statistic.sensitivity(schema())
        assert max(norms(c)[0] for c in contributions(statistic)) > 0.95 * declared.l1


@by_statistic
def test_answers_are_sums_of_contributions_in_any_order(statistic):
    few = [RECORDS[i] for i in (0, 7, 100, 200, 359, 31)]
    total = sum((exact(statistic, [record]) for record in few), exact(statistic, []))
    np.testing.assert_array_equal(exact(statistic, few), total)
    np.testing.assert_array_equal(exact(statistic, few[::-1]), total)
    public = schema()
    halves = [exact(statistic, few[:2]), exact(statistic, few[2:])]
    np.testing.assert_array_equal(statistic.finish(statistic.merge(*halves), public), total)


@by_statistic
def test_a_person_counts_as_often_as_allowed(statistic):
    one = statistic.sensitivity(schema())
    many = statistic.sensitivity(schema(Unit(id="person", most=3)))
    assert (many.l1, many.squared_l2) == (3 * one.l1, 9 * one.squared_l2)


number = st.none() | st.floats(allow_infinity=False) | st.floats(-2, 4)
record = st.tuples(
    number,
    st.sampled_from(["red", "green", "blue", None]),
    number,
    st.sampled_from(["s", "l", None]),
    st.sampled_from(["no", "yes", None]),
    st.sampled_from(["a", "b", "c", None]),
    number,
    st.sampled_from([*"abcdef", None]),
    st.sampled_from([*"ghijkz", None]),
)
weight = st.lists(st.floats(-1e6, 1e6), min_size=MIXED.width, max_size=MIXED.width)


@given(st.lists(record, max_size=4), record, record, weight)
@settings(max_examples=60, deadline=None)
def test_random_neighbours(records, one, other, weights):
    random = Gradient(np.array([weights]), "ill", MIXED)
    softmax = Gradient(np.array([weights, weights[::-1], weights[1:] + weights[:1]]), "kind", MIXED)
    products = [statistic for name, statistic in STATISTICS.items() if name.startswith("products")]
    for statistic in (random, softmax, *products, STATISTICS["errors"]):
        tables = [exact(statistic, r) for r in (records, [*records, one], [other, *records])]
        for relation, pair in (("add_remove", (0, 1)), ("replace", (1, 2))):
            declared = statistic.sensitivity(schema(), Unit(relation))
            l1, l2 = norms(tables[pair[0]] - tables[pair[1]])
            assert l1 <= declared.l1
            assert l2 <= declared.squared_l2
        if isinstance(statistic, Gradient):
            for ridge in (0.0, 7.5):
                scores = [SteepestCoordinate(statistic, ridge).groups([t], schema())[0] for t in tables]
                change = scores[1] - scores[0]
                assert change.max() - change.min() <= SteepestCoordinate.spread


@pytest.mark.parametrize("name", [name for name in STATISTICS if name.startswith("products")])
def test_products_are_the_second_moments(name):
    """Against the dense matrix: each cell of Σ x xᵀ stands where the layout says."""
    statistic = STATISTICS[name]
    given = None if statistic.given is None else NAMES.index(statistic.given)
    records = [record for record in RECORDS if given is None or record[given] is not None]
    rows = Rows(batch(records), schema())
    encoded = statistic.encoding.encode(rows)
    numbers = [block for block in statistic.encoding.blocks if not block.nominal]
    places = [block.start for block in numbers]
    encoded[:, places] = np.floor(encoded[:, places] * FINE + 0.5) / FINE
    gram = encoded.T @ encoded
    sums, squares, across = statistic.split(exact(statistic, RECORDS) / statistic.scale)
    np.testing.assert_allclose(sums, gram[0, statistic.summed])
    np.testing.assert_allclose(across, gram[statistic.pairs.one, statistic.pairs.other])
    for place, (square, missing) in zip(statistic.squared, squares, strict=True):
        [column] = [block.column.name for block in numbers if block.start == place]
        absent = sum(record[NAMES.index(column)] is None for record in records)
        np.testing.assert_allclose(square, gram[place, place] - (len(records) - absent) / 2)
        assert missing == absent / 2


def test_a_matrix_gives_the_answer_of_its_columns():
    """Also where values are missing, in some of many blocks, and where only some columns are asked for."""
    columns = {f"x{j}": (-1.0, 1.0 + j) for j in range(7)}
    public = Schema.of({**columns, "few": [0, 1, 2], "many": list(range(9)), "y": ["no", "yes"]}, target="y")
    X = np.hstack([3 * DRAW.standard_normal((20_001, 7)), DRAW.integers(0, (3, 9), (20_001, 2))])
    y = DRAW.choice(["no", "yes"], 20_001)
    every = Products(Encoding(public.columns))
    some = Products(Encoding(tuple(public[name] for name in ("x5", "x1", "many", "y"))), target="y")
    for missing in ([], [(9_000, 3)], [(0, 0), (20_000, 8)]):
        for place in missing:
            X[place] = np.nan
        names = [*columns, "few", "many"]
        table = pa.table({**{name: X[:, j] for j, name in enumerate(names)}, "y": y})
        for asked in ([every, some], [some]):
            by_rows = MemoryEngine().answer(asked, ArraySource(X, y, names, "y"), public)
            by_columns = MemoryEngine().answer(asked, ArrowSource(table), public)
            for one, other in zip(by_rows, by_columns, strict=True):
                np.testing.assert_array_equal(one, other)
    X[5, 5] = -np.inf
    with pytest.raises(DataError, match="'x5' holds an infinite"):
        MemoryEngine().answer([every], ArraySource(X, y, names, "y"), public)


def test_sums_of_products_at_the_bounds_do_not_overflow():
    """All records at a corner: the largest partial sums there can be."""
    public = Schema.of({"a": (-1.0, 1.0), "b": (-1.0, 1.0)})
    statistic = Products(Encoding(public.columns))
    for corner in ([9.0, 9.0], [9.0, -9.0], [-9.0, -9.0]):
        [answer] = MemoryEngine().answer(
            [statistic], ArraySource(np.tile(corner, (5_000, 1)), names="ab"), public
        )
        sums, squares, across = statistic.split(answer / statistic.scale)
        signs = np.sign(corner)
        np.testing.assert_array_equal(sums, [5_000, *(5_000 * signs)])
        np.testing.assert_array_equal(squares, [[2_500, 0], [2_500, 0]])
        np.testing.assert_array_equal(across, [5_000 * signs.prod()])


def test_the_gradient_is_the_derivative_of_the_loss():
    records = [r for r in RECORDS if r[4] is not None and r[3] is not None][:50]
    rows = Rows(batch(records), schema())
    weights = 0.3 * DRAW.standard_normal((1, MIXED.width))
    encoded, actual = MIXED.encode(rows), rows.codes("ill").astype(int)

    def loss(w):
        return -np.log(probabilities(encoded @ w.T)[np.arange(len(actual)), actual]).sum()

    statistic = Gradient(weights, "ill", MIXED)
    answer = exact(statistic, records)
    found = statistic.unpack(answer / statistic.scale)[0]
    np.testing.assert_array_equal(statistic.coordinates(answer)[0, 1:] / statistic.scale, found[1:])
    for j in range(MIXED.width):
        step = np.zeros_like(weights)
        step[0, j] = 1e-5
        slope = (loss(weights + step) - loss(weights - step)) / 2e-5
        assert abs(slope - found[j]) < 1e-3
        assert abs(slope - statistic.coordinates(answer)[0, j] / statistic.scale) < 1e-3


def test_margins_are_the_dense_product():
    rows = Rows(batch(RECORDS), schema())
    np.testing.assert_allclose(MIXED.margins(rows, LARGE), MIXED.encode(rows) @ LARGE.T, atol=1e-9)
    encoded = MIXED.encode(rows)
    assert np.abs(encoded).sum(axis=1).max() == MIXED.l1
    assert (encoded**2).sum(axis=1).max() <= MIXED.l1


@pytest.mark.parametrize("name", [name for name in STATISTICS if name.startswith("products")])
def test_duckdb_gives_the_same_answer(name):
    ibis = pytest.importorskip("ibis")
    from privet.engines import SqlEngine
    from privet.sources import TableSource

    statistic = STATISTICS[name]
    table = pa.Table.from_batches([batch(RECORDS)])
    connection = ibis.duckdb.connect()
    source = TableSource(connection.create_table("records", table))
    public = schema()
    [sql] = SqlEngine().answer([statistic], source, public)
    [memory] = MemoryEngine().answer([statistic], ArrowSource(table), public)
    np.testing.assert_array_equal(sql, memory)


def test_infinite_numbers_and_missing_ones_are_refused_where_asked():
    bad = [(np.inf, *RECORDS[0][1:])]
    for name in ("products", "gradient at zero"):
        with pytest.raises(DataError, match="infinit"):
            exact(STATISTICS[name], bad)
    strict = Schema(COLUMNS, missing="error")
    with pytest.raises(DataError, match="missing values"):
        exact(STATISTICS["products"], [(None, *RECORDS[0][1:])], strict)
