"""Perturbations as steps of River pipelines: import this module, and River knows them.

River passes records *unchanged* to what follows a step that it does not know as a transformer. So a
perturbation that is put into a pipeline without this import refuses to work, rather than let the records
through.

>>> import privet.perturbation.river
>>> from privet.perturbation import Geometric
>>> from privet.schema import Schema
>>> from river import linear_model
>>> schema = Schema.of({"age": (0, 120), "weight": (2.0, 200.0)})
>>> model = Geometric(schema=schema) | linear_model.LogisticRegression()
>>> model.learn_one({"age": 30, "weight": 70}, True)
"""

from __future__ import annotations

from privet.errors import MissingExtra
from privet.perturbation.river_step import RiverStep

__all__: list[str] = []

try:
    from river import base
except ImportError:
    raise MissingExtra.of("streams", "Putting a perturbation into a River pipeline") from None

base.Transformer.register(RiverStep)
RiverStep.known_to_river = True
