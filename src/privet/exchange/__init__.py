"""Released models in formats that others read: ONNX and PMML, with the guarantee in their metadata."""

from privet.exchange.onnx_file import to_onnx
from privet.exchange.pmml_file import to_pmml

__all__ = ["to_onnx", "to_pmml"]
