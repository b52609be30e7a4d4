"""Describes the machine and the versions that the numbers were measured with."""

import importlib.metadata
import os
import platform
import sys
from pathlib import Path

import threadpoolctl
from contestants import intel_incremental_pca

import roipca

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
from processor import processor


def blas():
    """Returns the name, version and instruction set of NumPy's BLAS."""
    found = [library for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]
    found.sort(key=lambda library: "numpy" not in library["filepath"])  # SciPy may have its own
    if not found:
        return "unknown"
    return " ".join(str(found[0].get(k, "")) for k in ("internal_api", "version", "architecture"))


def is_busy():
    """Returns whether other programs used half a core or more in the last minute."""
    return os.getloadavg()[0] >= 0.5


def describe():
    """Returns (name, value) pairs for the page."""
    version = importlib.metadata.version
    intel = version("scikit-learn-intelex") if intel_incremental_pca() else "does not install or load here"
    return [
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("instruction set in use", roipca.instruction_set()),
        ("build", f"roipca {roipca.__version__}, built by `pip install .`"),
        ("BLAS of NumPy", blas()),
        ("Python", f"{platform.python_version()}, NumPy {version('numpy')}, SciPy {version('scipy')}"),
        ("scikit-learn", version("scikit-learn")),
        ("scikit-learn-intelex", intel),
        ("load before the run", f"{os.getloadavg()[0]:.1f}"),
    ]
