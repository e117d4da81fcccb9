"""The report of one or many audits: a table of verdicts, and for each audit its pair, event and a plot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.audit.verdict import LIMIT, Audit
from privet.report import Page, plots

__all__ = ["plot", "report"]

HEADER = ("audited", "claimed ε", "δ", "ε is at least", "confidence", "runs", "verdict")


def report(audits: Mapping[str, Audit], title: str = "Privacy audit") -> Page:
    """A page with one section for each named audit."""
    page = Page(title, "Claims of differential privacy, put to the test.")
    section = page.section("Verdicts")
    bad = [name for name, found in audits.items() if found.violated]
    if bad:
        section.note(f"{len(bad)} of {len(audits)} violate their claim: {', '.join(bad)}.", "warning")
    else:
        section.note(f"No violation found in {len(audits)} audit{'' if len(audits) == 1 else 's'}.", "good")
    rows = [
        (name, a.epsilon, a.delta, a.bound, f"{100 * a.confidence:.10g} %", a.runs, _word(a))
        for name, a in audits.items()
    ]
    section.table(HEADER, rows, "What each claims, and what was shown")
    section.text(
        "The fourth column is a lower bound: the true ε is at least that, with the stated confidence. Above "
        "the claim it refutes it; below, it says how much of the claimed loss the audit could make visible.",
        LIMIT,
    )
    for name, found in audits.items():
        _section(page, name, found)
    return page


def plot(audit: Audit) -> Any:
    """How the event's score is distributed on both tables; the event is shaded."""
    histogram = audit.histogram
    edges = np.array(histogram["edges"])
    middles = (edges[1:] + edges[:-1]) / 2
    series = {"with the first table": histogram["first"], "with the second": histogram["second"]}
    figure = plots.lines(middles.tolist(), series, xlabel="score of the event", ylabel="share of the runs")
    axes = figure.axes[0]
    for curve in axes.lines:
        curve.set(drawstyle="steps-mid", marker="")
    low, high = (audit.event.threshold, edges[-1]) if audit.event.above else (edges[0], audit.event.threshold)
    axes.axvspan(max(low, edges[0]), min(high, edges[-1]), alpha=0.12, linewidth=0)
    return figure


def _section(page: Page, name: str, found: Audit) -> None:
    section = page.section(name)
    section.note(f"{found.subject}: {found.verdict}.", "warning" if found.violated else "good")
    section.code(found.text(), "In words")
    section.figure(
        plot(found),
        alt=f"Two curves: the event's score on each table of the pair. Event: {found.event.description}.",
        caption=f"The event (shaded): {found.event.description}. Tables: {found.pair.name}.",
    )


def _word(found: Audit) -> str:
    return "VIOLATES ITS CLAIM" if found.violated else "no violation found"
