"""Goals for logistic regression on adult and bank: errors over 50 splits at honest ε, beside diffprivlib and the thesis.

Points that ``python -m reproduction regression`` has stored are taken from there; the others are measured now.
Without any it takes about two hours, most of them for diffprivlib.
"""

from __future__ import annotations

from benchmarks import data
from benchmarks.figures import Figure
from reproduction.dpweka.regression import EPSILONS, FLOOR, PEER, Point
from reproduction.dpweka.regression_page import PAGES, goals, points_of
from reproduction.dpweka.regression_points import DELTA, FUNCTIONAL, PEER_EPSILONS, PRIVGENE, REAL, Wish

STORE = PAGES[0].store
#: Wanted for the goals: ε and δ of the default.
BUDGETS = ((0.1, 0.0), (0.4, 0.0), (0.4, DELTA), (1.0, 0.0))


def run() -> list[Figure]:
    if not data.available():
        print("  the real tables are not here: nothing to measure")
        return []
    known(Wish("adult", FLOOR, 0.0))
    for epsilon, delta in BUDGETS:
        known(Wish("adult", "auto", epsilon, delta))
    figures = [
        Figure(f"adult: error, {words}", point.mean, most, unit="")
        for words, point, most in goals(points_of(STORE.read()))
        if point
    ]
    for name in REAL:
        for epsilon in PEER_EPSILONS:
            ours = known(Wish(name, "auto", epsilon))
            rivals = (PEER, FUNCTIONAL, PRIVGENE) if epsilon in EPSILONS else (PEER,)
            for theirs in (known(Wish(name, rival, epsilon)) for rival in rivals):
                what = f"{name}: error at ε = {epsilon:g}, of {theirs.method}'s ({theirs.mean:.3f})"
                figures.append(Figure(what, ours.mean / theirs.mean, 1.0))
    return figures


def known(wish: Wish) -> Point:
    """The stored point, with as many further splits as it lacks."""
    point = wish.point({cell.key: STORE.get(cell.key, cell.work) for cell in wish.cells()})
    assert point is not None
    return point
