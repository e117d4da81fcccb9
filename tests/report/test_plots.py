from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from privet.report import bars, error_bars, lines, save_svg, stacked
from privet.report.look import SERIES


def test_bars_stand_in_the_given_order_with_their_values() -> None:
    axes = bars(["age", "bmi"], [0.25, 0.75], xlabel="share", form="{:.2f}").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["age", "bmi"]
    assert [bar.get_width() for bar in axes.patches] == [0.25, 0.75]
    assert axes.yaxis_inverted(), "the first label is on top"
    assert [text.get_text() for text in axes.texts] == ["0.25", "0.75"]


def test_error_bars_reach_as_far_as_the_errors() -> None:
    axes = error_bars(["no", "yes"], [10, 4], [2, 1], ylabel="records", truth=[9, 5]).axes[0]
    reaches = [segment.tolist() for segment in axes.containers[1][2][0].get_segments()]
    assert reaches == [[[0, 8], [0, 12]], [[1, 3], [1, 5]]]
    assert [bar.get_height() for bar in axes.patches] == [9, 5]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["exact", "released"]


def test_lines_draw_bands_and_levels() -> None:
    axes = lines(
        [0.1, 1],
        {"private": [0.6, 0.7]},
        xlabel="epsilon",
        ylabel="accuracy",
        bands={"private": ([0.5, 0.68], [0.7, 0.72])},
        references={"without privacy": 0.75},
        log_x=True,
    ).axes[0]
    assert axes.get_xscale() == "log"
    assert [list(line.get_ydata()) for line in axes.lines] == [[0.6, 0.7], [0.75, 0.75]]
    assert len(axes.collections) == 1


def test_lines_draw_all_that_they_are_given_each_in_a_look_of_its_own() -> None:
    axes = lines([1, 2], {f"method {k}": [k, k] for k in range(12)}, xlabel="x", ylabel="y").axes[0]
    assert len({(line.get_color(), line.get_marker()) for line in axes.lines}) == 12


def test_stacked_parts_lie_end_to_end_against_the_limit() -> None:
    axes = stacked({"fit": 1.0, "evaluation": 0.2}, 1.5, xlabel="epsilon").axes[0]
    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches] == [(0, 1), (1, pytest.approx(0.2))]
    assert list(axes.lines[0].get_xdata()) == [1.5, 1.5]
    assert axes.get_xlim()[1] > 1.5


def test_what_was_refused_is_hollow_and_may_pass_the_limit() -> None:
    axes = stacked({"fit": 1.0}, 1.5, xlabel="epsilon", refused={"more": 1.0}).axes[0]
    spent, refused = axes.patches
    assert (refused.get_x(), refused.get_width()) == (1, 1)
    assert spent.get_fill()
    assert not refused.get_fill()
    assert axes.get_xlim()[1] > 2


def test_differences_below_zero_are_not_cut_off() -> None:
    axes = error_bars(["a", "b"], [-5, 3], [2, 2], ylabel="difference").axes[0]
    assert axes.get_ylim()[0] < -7


def test_a_saved_drawing_has_a_white_ground_and_plain_colours(tmp_path: Path) -> None:
    save_svg(bars(["a"], [1], xlabel="x"), tmp_path / "bars.svg")
    text = (tmp_path / "bars.svg").read_text()
    assert SERIES[0] in text
    assert "var(--" not in text
    assert "#ffffff" in text
    assert "<text" in text, "text stays text"


def test_importing_reports_does_not_import_matplotlib() -> None:
    code = "import sys, privet.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("made", [1, 2])
def test_drawing_leaves_matplotlibs_settings_alone(made: int) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    for _ in range(made):
        bars(["a"], [1], xlabel="x")
    assert dict(matplotlib.rcParams) == before
