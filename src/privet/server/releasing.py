"""What is kept of a run's result: all that is shown, downloaded or exported later is made here, once."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from typing import Any

from sqlalchemy import Row

from privet.errors import PrivetError
from privet.server.cases import Asked
from privet.server.credentials import new_id
from privet.server.store.moments import now
from privet.service import Result
from privet.service.plans import for_real

__all__ = ["finite", "release_of"]

#: A heading is short.
_HEADING = 100
_PRACTICE = "Practice on made-up people, drawn from the public schema. It says nothing about anybody."


def release_of(run: Row[Any], asked: Asked, result: Result, name: str) -> dict[str, Any]:
    """The row of a release. What promises nothing is none: it would show exact figures to whoever asked."""
    release, guarantee = new_id(), result.guarantee
    if guarantee is not None and not guarantee.holds:
        raise PrivetError("The run came out without a guarantee, so nothing of it is released.")
    chosen = asked.chosen
    title = f"{asked.title} · {name}"
    told = (result.headline() or result.in_words() or result.text()).strip().partition("\n")[0]
    if len(told) > _HEADING or told.endswith(":"):  # that runs on: it is read below
        told = title
    model = result.model_document()
    answer = {
        "id": release,
        "run": run.id,
        "dataset": asked.dataset,
        "title": title,
        "headline": re.sub(r"\s{2,}", ": ", told),
        "practice": asked.practice,
        "use_case": asked.use_case,
        "algorithm": None if chosen is None else chosen.name,
        "family": None if chosen is None else chosen.family,
        "epsilon": None if guarantee is None or asked.practice else guarantee.epsilon,
        "created": now(),
        "has_model": model is not None,
        "exports": [] if model is None else exports_of(model),
        "line": "" if chosen is None else chosen.line,
        "text": result.text(),
        "words": result.in_words(),
        "facts": [list(fact) for fact in result.facts()],
        "figures": finite(result.to_dict()),
        "charts": [finite(chart.to_dict()) for chart in result.charts()],
        "tables": [vars(table) for table in result.tables()],
        "guarantee": None if guarantee is None else finite(guarantee.to_dict()),
        "guarantee_text": "" if guarantee is None else guarantee.text(),
        "not_said": _not_said(result, asked.practice),
    }
    page = result.page()
    if asked.practice:
        page.section("Practice").note(_PRACTICE, "warning")
    return {
        "id": release,
        "run": run.id,
        "plan_hash": run.hash,
        "dataset": asked.dataset,
        "practice": asked.practice,
        "answer": json.dumps(answer, allow_nan=False),
        "model": None if model is None else json.dumps(model, indent=1, allow_nan=False),
        "report": page.html(),
        "document": json.dumps(asked.document(name).to_dict()),
    }


def _not_said(result: Result, practice: bool) -> list[str]:
    """What its guarantee does not cover; for made-up people, what it would not, were it for real."""
    guarantee = result.guarantee
    if guarantee is None:
        return []
    return list(for_real(guarantee) if practice else guarantee.caveats)


def exports_of(model: dict[str, Any]) -> list[str]:
    """The formats of others that this model can be written in. Nothing that fails here may lose a release."""
    from privet.service.exchanging import formats_of

    with suppress(Exception):
        return list(formats_of(model))
    return []


def finite(value: Any) -> Any:
    """The same without infinities, which JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    if hasattr(value, "item") and not isinstance(value, str | bytes):
        return finite(value.item()) if getattr(value, "ndim", 0) == 0 else finite(value.tolist())
    return value
