"""Released models in formats that others read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from privet.errors import ModelError, ParameterError
from privet.parameters import Alias, File
from privet.service.case import Result, UseCase
from privet.service.common import Force, ModelFile, VerifyKey
from privet.service.session import Session

if TYPE_CHECKING:
    from privet.release import Guarantee

__all__ = ["FORMATS", "ExportModel", "ModelExported", "exported", "formats_of"]

#: The ending of a file says its format.
FORMATS = ("onnx", "pmml")


@dataclass(frozen=True, kw_only=True)
class ExportModel(UseCase):
    """Write the released MODEL as ONNX or PMML, for tools that do not know Privet. Costs no privacy budget.

    The guarantee goes with it, in the file's metadata; a signature does not.
    """

    model: ModelFile
    output: Annotated[Path, File("out"), Alias("o"), "Where it goes: a file that ends in .onnx or .pmml."]
    verify_key: VerifyKey = None
    force: Force = False

    def run(self, session: Session) -> ModelExported:
        from privet.model import load_model
        from privet.service.outputs import check_place

        form = self.output.suffix.lower().removeprefix(".")
        if form not in FORMATS:
            raise ParameterError(
                f"{self.output.name} does not name a format that models are exported to.",
                "Name a file that ends in .onnx or in .pmml.",
            )
        model = load_model(self.model, self.verify_key)
        place = check_place(self.output, force=self.force)
        written = _writers()[form](model)
        place.write_bytes(written)
        return ModelExported(self.model, place, form, len(written), model.guarantee_)


def exported(document: Mapping[str, Any], form: str) -> bytes:
    """The model of a released document in that format."""
    from privet.model import model_from_dict

    plain = {key: value for key, value in document.items() if key not in ("digest", "signature")}
    return _writers()[form](model_from_dict(plain))


def formats_of(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The formats that the model of a released document can be written in: all of them, or none."""
    from privet.exchange.reading import form_of
    from privet.model import model_from_dict

    plain = {key: value for key, value in document.items() if key not in ("digest", "signature")}
    try:
        form_of(model_from_dict(plain))
    except ModelError:
        return ()
    return FORMATS


def _writers() -> dict[str, Callable[[Any], bytes]]:
    from privet.exchange import to_onnx, to_pmml

    return {"onnx": to_onnx, "pmml": to_pmml}


@dataclass(frozen=True)
class ModelExported(Result):
    """Where the model is, in which format, and what it promises: the same as before."""

    model: Path
    place: Path
    form: str
    size: int
    guarantee: Guarantee

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": str(self.model),
            "file": str(self.place),
            "format": self.form,
            "bytes": self.size,
            "guarantee": self.guarantee.to_dict(),
        }

    def text(self) -> str:
        name = self.form.upper()
        return f"{self.model} is in {self.place}, as {name}.\nIn its metadata: {self.guarantee.headline}"
