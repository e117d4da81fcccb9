"""The contract of the API as JSON, without a server: ``python -m privet.server.openapi``."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from privet.server.application import application
from privet.server.settings import Settings

__all__ = ["document"]


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    with tempfile.TemporaryDirectory(prefix="privet-") as folder:
        app = application(Settings(Path(folder)))
        found: dict[str, Any] = app.openapi()
        app.state.server.database.close()
    return found


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, sort_keys=True)
