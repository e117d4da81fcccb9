"""The page of the audit: the bounds of every algorithm, from the figures that ``make audit`` has written.

python -m benchmarks.audit_page audit-report/audit.json docs/experiments/audit.md docs/experiments/results/audit.json

The last file keeps what the page needs of every claim. With it, the report of one algorithm (``privet audit NAME
--deep -o report.html``) is enough to write the page again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import fill
from typing import Any

from privet.audit.processes import PROCESSES
from privet.registry import ALGORITHMS
from privet.service.audits.algorithm import AuditAlgorithm

Found = dict[str, dict[str, Any]]

#: Why a claim shows less than half of its ε, where more runs would not help.
LIMITS = {
    "logistic-regression: answers method=privgene": "Its first step is taken at weights of 0, where the residual of "
    "every record is ±½, and the scores' sensitivity is for residuals up to ±1. So one step has a loss of at most "
    "ε/2, exactly: 2 at ε = 4. More steps share ε, and the later ones come nearer to their part of it.",
    "select-k-best: answers mechanism=laplace": "The probability of what is chosen all at once has no simple formula, so "
    "the ratio is that of the values alone, which have half of ε; events on the choice itself need more runs.",
    "logistic-regression: answers method=output": "Noise is for the furthest that a record can move the minimum: with "
    "a residual of 1, and with no curvature but the penalty's. In an empty table the residual is ½ at most. Other "
    "records bring it nearer to 1, but their curvature resists the move.",
}

HEAD = """# The audit of every algorithm

Written by `make audit` and `python -m benchmarks.audit_page`. For each claim, neighbouring tables were made from a
small schema, the algorithm was run on both many times, and the event that tells them apart best was tested on fresh
runs. "Shown" is a lower bound on the true ε with at least {confidence} confidence for each claim (all of them together
raise a false alarm with a probability of at most {alarm}); "part" is its share of the claimed ε. A bound above its
claim would refute it. How this works, and what it cannot show: [the audit](../concepts/audit.md).

"Answers" are all noisy answers that an algorithm was given while it learned, which is what the proof is about. "Ratio"
is the largest log-likelihood ratio of all answers that was computed in any run on any pair of tables. No event shows
more than the ratio does on its tables; where it comes near to ε and the bound does not, the answers that reach it are
rare, and more runs would show more. Claims are at ε = 4, because the larger an ε, the fewer runs show a part of it, and
noise scales with it. Claims about other tables and about models get fewer runs, so they show less. With a δ most noise
is Gaussian, which reaches its ε only in events about as rare as δ, and so few runs do not see those.
"""

SILENT = """{names} and {last} have no row, because they promise no ε and their guarantee says so: there is nothing to
refute. What attacks get out of them is [measured apart](perturbation-attacks.md)."""


def _silent() -> str:
    """Why the algorithms that promise nothing are not listed."""
    *names, last = [f"`{entry.name}`" for entry in ALGORITHMS if "No guarantee." in entry.line]
    return fill(SILENT.format(names=", ".join(names), last=last), 118, break_on_hyphens=False)


def page(found: Found) -> str:
    """The page as Markdown."""
    confidence = f"{100 * min(each['confidence'] for each in found.values()):.6g} %"
    alarm = f"{100 * sum(1 - each['confidence'] for each in found.values()):.2g} %"
    lines = [HEAD.format(confidence=confidence, alarm=alarm), _silent(), "", "## The best bound of each", ""]
    lines += ["| algorithm | claim | claimed ε | shown | part |", "|---|---|---|---|---|"]
    for name, words in _best(found, lambda words: words.split(":")[0]).items():
        what, audit = words.partition(": ")[2] or "all that it releases", found[words]
        lines.append(
            f"| {name} | {what} | {audit['epsilon']:g} | {audit['bound']:.2f} | {_part(audit):.0%} |"
        )
    lines += ["", "## Every claim", ""]
    lines += [
        "| claim | ε | δ | shown | part | ratio | runs | refuted |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for words, audit in found.items():
        ratio = audit["details"]["ratio"]
        lines.append(
            f"| {words} | {audit['epsilon']:g} | {audit['delta']:g} | {audit['bound']:.2f} | {_part(audit):.0%} | "
            f"{'' if ratio is None else format(ratio, '.2f')} | {audit['runs']:,} | "
            f"{'YES' if audit['violated'] else 'no'} |"
        )
    reasons = _reasons(found)
    if reasons:
        lines += ["", "## Why some show less than half", ""]
        lines += [f"- **{name}**: {text}" for name, text in reasons.items()]
    again = {words: audit["earlier"] for words, audit in found.items() if audit.get("earlier")}
    if again:
        lines += [
            "",
            "## Measured again",
            "",
            "What these claims had shown before, with other pairs or fewer runs:",
            "",
        ]
        lines += [
            f"- {words}: {', '.join(f'{bound:.2f}' for bound in bounds)}" for words, bounds in again.items()
        ]
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


def _part(audit: dict[str, Any]) -> float:
    return float(audit["bound"] / audit["epsilon"])


def _best(found: Found, group: Any) -> dict[str, str]:
    """The claim of each group that shows most."""
    best: dict[str, str] = {}
    for words, audit in found.items():
        name = group(words)
        if name not in best or _part(audit) > _part(found[best[name]]):
            best[name] = words
    return best


def _reasons(found: Found) -> dict[str, str]:
    """For each algorithm and each of its settings that shows less than half of its ε on every table."""
    settings = {words: audit for words, audit in found.items() if words in _of_settings(found)}
    return {
        name: _reason(name, found[words])
        for name, words in _best(settings, lambda words: words.split(",")[0]).items()
        if _part(found[words]) < 0.5
    }


def _of_settings(found: Found) -> set[str]:
    """The claims of a setting, and of a process: not those of what is released, or of other tables."""
    other = ("persons with", "a number and a category")
    released = {words for words in found if ": answers" not in words and words.split(":")[0] not in PROCESSES}
    return {words for words in found if not any(part in words for part in other)} - released


def _reason(name: str, audit: dict[str, Any]) -> str:
    process = PROCESSES.get(name.split(":")[0])
    text = LIMITS.get(name, "") or ("" if process is None else process.limit)
    ratio = audit["details"]["ratio"]
    if ratio is None:
        return text
    computed = (
        f"In {audit['runs']:,} runs on {audit['details']['pairs']} pairs of tables, the computed ratio of its answers "
        f"never exceeded {ratio:.2f} at ε = {audit['epsilon']:g}."
    )
    if ratio > 0.75 * audit["epsilon"]:
        computed += " The answers that reach it are rare: more runs would show more."
    return f"{text} {computed}".strip()


def planned() -> list[str]:
    """Every claim that a deep audit of all algorithms looks at."""
    return [claim.words for claim in AuditAlgorithm(every=True, deep=True)._claims]


def wrapped(text: str, width: int = 118) -> str:
    """Long list entries on several lines; tables stay as they are."""
    return "\n".join(
        fill(line, width, subsequent_indent="  ") if line.startswith("- ") else line
        for line in text.split("\n")
    )


def kept(found: Found, place: Path) -> Found:
    """The figures that are kept there, with these in place of older ones, in the order of the plan."""
    known: Found = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    # A second look must not hide the first.
    earlier = {words: [*before.get("earlier", []), before["bound"]] for words, before in known.items()}
    for words, audit in found.items():
        details = {key: audit["details"][key] for key in ("ratio", "pairs")}
        figures = ("epsilon", "delta", "bound", "confidence", "runs", "violated", "pair", "event")
        known[words] = {key: audit[key] for key in figures} | {"details": details}
        for key, name in (("pair", "name"), ("event", "description")):
            known[words][key] = audit[key][name]
        known[words]["earlier"] = earlier.get(words, [])
    known = {words: known[words] for words in planned() if words in known}
    place.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return known


if __name__ == "__main__":
    figures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if len(sys.argv) > 3:
        figures = kept(figures, Path(sys.argv[3]))
    Path(sys.argv[2]).write_text(wrapped(page(figures)), encoding="utf-8")
