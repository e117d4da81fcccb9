from __future__ import annotations

import json

import pytest

from privet.report import Bars, Chart, Heatmap, Lines, Node, Page, Points, Series, Tree

CHARTS: list[Chart] = [
    Bars("Counts", ("a & b", "c"), (Series("records", (3.0, 4.0), (1.0, 1.0)),), y="records"),
    Lines("Accuracy", (0.1, 1.0), (Series("fit", (0.6, 0.8), (0.1, 0.1)),), (("guess", 0.5),), True, x="ε"),
    Points(
        "Centres", ("one", "two"), (((0.0, 1.0),), ((2.0, 3.0),)), sizes=((5.0,), (9.0,)), x="age", y="height"
    ),
    Points("Variants", ("1",), (((0.0, 1.0), (1.0, 2.0)),), ((0.5, 0.5),), labels=(("r1", "r2"),), level=1.5),
    Heatmap("Confusion", ("no", "yes"), ("no", "yes"), ((5.0, 1.0), (2.0, 4.0)), 1.5, x="said", y="is"),
    Heatmap("Correlation", ("a", "b"), ("a", "b"), ((1.0, -0.5), (-0.5, 1.0)), diverging=True),
    Tree("Decisions", Node("age < 40?", children=(Node("no (30)", "yes"), Node("yes (12)", "no")))),
]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: f"{chart.kind}-{chart.title}")
def test_every_kind_has_plain_data_a_table_and_a_drawing(chart: Chart) -> None:
    plain = json.loads(json.dumps(chart.to_dict(), allow_nan=False))
    header, rows = plain["table"]["header"], plain["table"]["rows"]
    assert plain["kind"] == chart.kind
    assert plain["title"] == chart.title
    assert rows
    assert all(len(row) == len(header) for row in rows)
    assert chart.svg().startswith("<svg")
    page = Page("Charts")
    page.section("One").chart(chart)
    assert "<figure>" in page.html()
    assert "The same in figures" in page.html()


def test_error_bars_are_in_the_table_too() -> None:
    assert CHARTS[0].table()[1][0] == ["a & b", "3 ± 1"]
    assert CHARTS[4].table()[1][1] == ["yes", "2 ± 1.5", "4 ± 1.5"]


def test_no_bar_is_drawn_beyond_what_a_value_can_be() -> None:
    shares = Series("share", (0.1, 0.9, -0.2), (0.3, 0.3, 0.1), (0, 1))
    [drawn] = Bars("Shares", ("a", "b", "c"), (shares,)).figure().axes[0].containers
    ends = [list(segment[:, 0]) for segment in drawn.lines[2][0].get_segments()]
    assert ends == [pytest.approx([0.0, 0.4]), pytest.approx([0.6, 1.0]), pytest.approx([-0.2, -0.1])]


def test_a_tree_reads_from_the_root_down() -> None:
    assert [text for _, text in CHARTS[6].table()[1]] == ["age < 40?", "no (30)", "yes (12)"]
