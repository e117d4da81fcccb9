"""The page of the audit: the bounds of every algorithm, from the figures that ``make audit`` has written.

python -m benchmarks.audit_page audit-report/audit.json docs/experiments/audit.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from privet.audit.processes import PROCESSES
from privet.service.audits.algorithm import AuditAlgorithm

#: Why a claim shows less than half of its ε, where more runs would not help.
LIMITS = {
    "logistic-regression: answers method=privgene": "In 30 runs on each table of the 30 candidate pairs, the "
    "computed ratio of its answers never exceeded 1.86 at ε = 4. No event shows more than the ratio does, so "
    "only other tables could.",
}

HEAD = """# The audit of every algorithm

Written by `make audit` and `python -m benchmarks.audit_page`. For each claim, neighbouring tables were made from a
small schema, the algorithm was run on both many times, and the event that tells them apart best was tested on fresh
runs. "Shown" is a lower bound on the true ε with {confidence} confidence for each claim (so that all of them together
raise a false alarm with a probability of at most 0.1 %); "part" is its share of the claimed ε. A bound above its claim
would refute it. How this works, and what it cannot show: [the audit](../concepts/audit.md).

"Answers" are all noisy answers that an algorithm was given while it learned, which is what the proof is about. The
figures below were measured with few runs on a busy machine, so most could be higher: a bound grows with the number of
runs. Where it could not, the reason is given below the tables.
"""


def page(found: dict[str, dict[str, Any]]) -> str:
    """The page as Markdown."""
    best: dict[str, tuple[float, str, dict[str, Any]]] = {}
    for words, audit in found.items():
        name, part = words.split(":")[0], audit["bound"] / audit["epsilon"]
        if name not in best or part > best[name][0]:
            best[name] = (part, words, audit)
    confidence = f"{100 * max(each['confidence'] for each in found.values()):.10g} %"
    lines = [HEAD.format(confidence=confidence), "## The best bound of each", ""]
    lines += ["| algorithm | claim | claimed ε | shown | part |", "|---|---|---|---|---|"]
    for name, (part, words, audit) in best.items():
        what = words.partition(": ")[2] or "all that it releases"
        lines.append(f"| {name} | {what} | {audit['epsilon']:g} | {audit['bound']:.2f} | {part:.0%} |")
    lines += ["", "## Every claim", ""]
    lines += ["| claim | ε | δ | shown | part | runs | refuted |", "|---|---|---|---|---|---|---|"]
    for words, audit in found.items():
        lines.append(
            f"| {words} | {audit['epsilon']:g} | {audit['delta']:g} | {audit['bound']:.2f} | "
            f"{audit['bound'] / audit['epsilon']:.0%} | {audit['runs']:,} | {'YES' if audit['violated'] else 'no'} |"
        )
    reasons = [(name, process.limit) for name, process in PROCESSES.items() if process.limit]
    reasons += list(LIMITS.items())
    if reasons:
        lines += ["", "## Why some show less", ""]
        lines += [f"- **{name}**: {text}" for name, text in reasons]
    waiting = [claim for claim in planned() if claim not in found]
    if waiting:
        lines += [
            "",
            "## Not measured yet",
            "",
            f"`make audit` measures these {len(waiting)} claims, too:",
            "",
        ]
        lines += [f"- {claim}" for claim in waiting]
    return "\n".join(lines) + "\n"


def planned() -> list[str]:
    """Every claim that a deep audit of all algorithms looks at."""
    return [claim.words for claim in AuditAlgorithm(every=True, deep=True)._claims]


def wrapped(text: str, width: int = 118) -> str:
    """Long list entries on several lines; tables stay as they are."""
    import textwrap

    return "\n".join(
        textwrap.fill(line, width, subsequent_indent="  ") if line.startswith("- ") else line
        for line in text.split("\n")
    )


if __name__ == "__main__":
    figures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(wrapped(page(figures)), encoding="utf-8")
