"""What to type: the command line's words for the remedies that errors name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["words_for"]

_WORDS = {
    "change-limit": "privet ledger limit {dataset}  changes its limit.",
    "check-schema": "privet schema check {data} --schema {schema}  finds the column and its fault.",
    "compare-head": "Give it with  --head HEAD  (privet ledger head prints the present one).",
    "confirm-schema": (
        "Check that each entry that was read off the data is public knowledge, correct it if not, then:\n"
        "      privet schema confirm {schema}"
    ),
    "consent-to-schema": "Look at them (privet schema show {schema}), then say that you have with --yes.",
    "consent-to-sending": "Look at it, then say that you have with --yes.",
    "draft-schema": "Name it with  --schema FILE,  or make a start:  privet schema draft {data}",
    "ignore-or-identify": (
        "Leave it out with  --ignore COLUMN, or, if it says who a person is, name it with  --id COLUMN"
    ),
    "name-dataset": 'Write  dataset = "NAME"  into {schema}; privet ledger show  lists the accounts.',
    "registered-schema": "privet ledger schema {dataset}  prints the registered one.",
    "open-account": (
        "The owner of the data opens an account:\n"
        "      privet ledger open {data} --schema {schema} --ledger {ledger} --epsilon LIMIT"
    ),
    "split-phenotypes": (
        "Split a measured trait into cases and controls by a rule that is public, and give that split\n"
        "  as a file of ids and control or case:  --phenotypes FILE"
    ),
    "keep-some": "Name the ones you need in a file:  --keep FILE",
    "audit-model": (
        "With a model's file:\n"
        "      privet audit inversion {name} DATA --attribute NAME   shows what it gives away;\n"
        "      privet model show {name}   names its algorithm, which  privet audit ALGORITHM  tests."
    ),
    "audit-perturbation": ("For a perturbed table:  privet audit perturbation ORIGINAL {name} --schema FILE"),
    "open-study": (
        "The owner of the data opens an account:\n"
        "      privet gwas open {study} --ledger {ledger} --epsilon LIMIT"
    ),
    "owner-says": (
        "Leave out  --no-ledger  and  --public,  or give the owner's word:\n"
        "      --owner-says 'Ann Lee: published in 2019, see …'"
    ),
    "replace": "Choose another name, or add  --force  to replace it.",
    "restore-ledger": "Restore it from a backup, then run  privet ledger verify",
    "show-every-weight": "All weights are shown with  --all",
    "show-model": "privet model show {model}  says what that means.",
    "tune": "Ask for tuning with  --tune",
    "verify-ledger": "Run  privet ledger verify --ledger {ledger}",
}
# What a command that spends can do instead of having an account.
_UNCOUNTED = "\n  or, to let nobody keep count, add  --no-ledger"


class _Known(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return key.upper()


def _shown(value: Any) -> str:
    """A path or an address as it may be typed: without a password, and not like an option."""
    from privet.service.building import said

    shown = said(value) if isinstance(value, str | Path) else str(value)
    return f"./{shown}" if shown.startswith("-") and shown != "-" else shown


def words_for(remedy: str, given: Mapping[str, Any]) -> str:
    """What to type, with the words of the present command; "" if there is nothing to say.

    >>> words_for("replace", {})
    'Choose another name, or add  --force  to replace it.'
    >>> print(words_for("check-schema", {"data": "postgresql://ann:secret@server/clinic?table=people"}))
    privet schema check 'postgresql://ann@server/clinic?table=people' --schema ...
    """
    import shlex

    from privet.service.building import schema_beside

    known = {name: shlex.quote(_shown(value)) for name, value in given.items() if value is not None}
    if "file" in known:
        known.setdefault("schema", known["file"])
    elif isinstance(given.get("data"), str | Path):
        known.setdefault("schema", shlex.quote(_shown(schema_beside(given["data"]))))
    if remedy == "open-account" and "study" in known:
        remedy = "open-study"
    words = _WORDS.get(remedy, "").format_map(_Known(known))
    return words + (_UNCOUNTED if remedy in ("open-account", "open-study") and "no_ledger" in known else "")
