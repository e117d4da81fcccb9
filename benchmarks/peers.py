"""Other people's tools, each in its own process: diffprivlib in an environment of its own, WEKA by its jar."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENT = Path(__file__).resolve().parents[1] / ".venv-peers"
WEKA = Path("/usr/share/java/weka.jar")


def diffprivlib(code: str, **arrays: Any) -> Any:
    """Run code in the peers' environment; it finds the arrays in ``data`` and prints JSON."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        # It needs an older scikit-learn than Privet's tests use.
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "diffprivlib==0.6.6", "scikit-learn<1.8", "pandas"],
            check=True,
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, **arrays)
        text = f"import json, numpy as np\ndata = np.load({str(path)!r})\n{code}"
        done = subprocess.run(
            [python, "-W", "ignore", "-c", text], check=True, capture_output=True, text=True
        )
    return json.loads(done.stdout)


def weka_available() -> bool:
    return WEKA.exists()


def weka_accuracy(arff: Path, classifier: str = "weka.classifiers.bayes.NaiveBayes") -> float:
    """WEKA's own 10-fold cross-validated accuracy on an ARFF file whose class comes last."""
    done = subprocess.run(
        ["java", "-cp", WEKA, classifier, "-t", arff, "-x", "10", "-o", "-v"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        if line.startswith("Correctly Classified Instances"):
            return float(line.split()[-2]) / 100
    raise RuntimeError("WEKA printed no accuracy")
