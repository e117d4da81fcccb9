"""What travels with a model into any format: who made it, and what it promises.

A format has no place for Privet's signature. The digest of the model's own file is named instead, so that
whoever holds that file can see that this was made from it.
"""

from __future__ import annotations

import json
from typing import Any

from privet.model import released_document

__all__ = ["metadata_of"]


def metadata_of(model: Any) -> dict[str, str]:
    """Names and texts, the same for the same model: no clock, no machine."""
    document = released_document(model)
    return {
        "privet_algorithm": str(document["algorithm"]),
        "privet_digest": str(document["digest"]),
        "privet_guarantee": model.guarantee_.headline,
        "privet_guarantee_json": _plain(document["guarantee"]),
        "privet_guarantee_text": model.guarantee_.text(),
        "privet_schema_json": _plain(document["schema"]),
    }


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
