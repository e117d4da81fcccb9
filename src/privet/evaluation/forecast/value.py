"""A forecast as a value: points with a band, what they rest on, and what follows from them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from privet.worlds import Guess

if TYPE_CHECKING:
    from privet.report import Chart, Page

__all__ = ["NOTHING_LEARNED", "Forecast", "Point"]

#: A world in which less than this is learned says little about shares of it.
NOTHING_LEARNED = 0.02


@dataclass(frozen=True)
class Point:
    """What is expected at one ε.

    ``share`` is how much of what the algorithm attains without privacy is left, 0 being a guess that looks at
    nothing, and ``value`` the figure itself; low and high are the ends of the band, in which four worlds out
    of five fall.
    """

    epsilon: float
    share: float
    share_low: float
    share_high: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Forecast:
    """How good an algorithm is expected to be at each ε, from made-up worlds: a guide, never a promise.

    ``attainable`` is what this algorithm reached without privacy in the same worlds, and ``floor`` the figure
    of a guess that looks at nothing. ``rests_on`` says in words what all of it was drawn from, and ``tested``
    how often forecasts for the algorithm named too small an ε on real tables.
    """

    algorithm: str
    measure: str
    points: tuple[Point, ...]
    attainable: float
    floor: float
    guess: Guess
    rests_on: tuple[str, ...]
    worlds: int
    tested: str = ""

    def epsilon_for(self, loss: float) -> float | None:
        """The smallest ε at which no more than ``loss`` is expected to be lost; None if no ε tried does.

        It is where the lower end of the band reaches the goal, so it is cautious. Where nothing was learned
        even without noise, nothing can be lost: that says nothing about a real table, and no ε is named.
        """
        if self.nothing_learned:
            return None
        goal = self.attainable - loss
        before: Point | None = None
        for point in self.points:
            if point.low >= goal:
                if before is None or point.low <= before.low:
                    return point.epsilon
                part = (goal - before.low) / (point.low - before.low)  # between the two, on a scale of ratios
                steps = math.log(point.epsilon) - math.log(before.epsilon)
                return float(f"{math.exp(math.log(before.epsilon) + part * steps):.2g}")
            before = point
        return None

    @property
    def nothing_learned(self) -> bool:
        """Whether the algorithm learned next to nothing in these worlds, even without noise."""
        return self.attainable - self.floor < NOTHING_LEARNED

    def at(self, epsilon: float) -> Point:
        """What is expected at this ε: between two points, on a scale of ratios."""
        below = [point for point in self.points if point.epsilon <= epsilon]
        above = [point for point in self.points if point.epsilon >= epsilon]
        if not below or not above:
            return self.points[0] if not below else self.points[-1]
        one, two = below[-1], above[0]
        if one.epsilon == two.epsilon:
            return one
        part = math.log(epsilon / one.epsilon) / math.log(two.epsilon / one.epsilon)
        first, last = asdict(one), asdict(two)
        between = {name: first[name] + part * (last[name] - first[name]) for name in first}
        return Point(**between | {"epsilon": epsilon})

    def chart(self) -> Chart:
        """The figure against ε, with its band."""
        from privet.report.charts import Lines, Series

        # Bands of charts are symmetric: drawn around the middle of this one.
        middle = tuple((point.low + point.high) / 2 for point in self.points)
        half = tuple((point.high - point.low) / 2 for point in self.points)
        return Lines(
            f"Forecast: {self.measure} of {self.algorithm} on made-up people",
            tuple(point.epsilon for point in self.points),
            (
                Series("expected", tuple(point.value for point in self.points)),
                Series("four worlds of five", middle, half),
            ),
            levels=(("without privacy", self.attainable), ("looking at nothing", self.floor)),
            log_x=True,
            x="privacy budget (epsilon)",
            y=self.measure,
            note=" ".join(self.rests_on),
        )

    def text(self) -> str:
        """The forecast for a reader: the share of what is attainable first, because the level is guessed."""
        lines = [
            f"Forecast for {self.algorithm}, from {self.worlds} made-up worlds. No data was read.",
            "",
            f"{'epsilon':>8}  {'of what is attainable':<24}{self.measure}",
        ]
        for point in self.points:
            share = f"{point.share:6.0%}  ({point.share_low:.0%} to {point.share_high:.0%})"
            lines.append(
                f"{point.epsilon:>8g}  {share:<24}{point.value:.3f}  ({point.low:.3f} to {point.high:.3f})"
            )
        lines += ["", f"Without privacy about {self.attainable:.3f}; looking at nothing {self.floor:.3f}."]
        loss = 0.02 if self.attainable - self.floor > 0.04 else (self.attainable - self.floor) / 2
        found = self.epsilon_for(loss)
        goal = f"within {loss:.2g} of what is attainable"
        lines.append(
            "Too little was learned there, even without noise, to name an epsilon."
            if self.nothing_learned
            else f"No epsilon tried is expected to come {goal}."
            if found is None
            else f"The smallest epsilon expected to come {goal}: about {found:g}."
        )
        lines += [self.tested] if self.tested else []
        return "\n".join([*lines, "", "It rests on:", *(f"  - {word}" for word in self.rests_on)])

    def page(self) -> Page:
        """The forecast as a page."""
        from privet.report import Page

        page = Page(f"Forecast: {self.algorithm}", "On people who do not exist. Nothing was spent.")
        section = page.section("What to expect")
        section.chart(self.chart())
        section.code(self.text())
        return page

    def to_dict(self) -> dict[str, Any]:
        return {
            "algorithm": self.algorithm,
            "measure": self.measure,
            "points": [asdict(point) for point in self.points],
            "attainable": self.attainable,
            "floor": self.floor,
            "guess": self.guess.to_dict(),
            "rests_on": list(self.rests_on),
            "worlds": self.worlds,
            "tested": self.tested,
            "epsilon_within_0.02": self.epsilon_for(0.02),
            "chart": self.chart().to_dict(),
        }
