"""Describes the machine that a piece ran on, for the page."""

import importlib.metadata
import os
import platform
import sys
from pathlib import Path

import roipca

sys.path.append(str(Path(__file__).parents[1] / "scripts"))
from processor import processor


def describe():
    version = importlib.metadata.version
    return {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "instruction set in use": roipca.instruction_set(),
        "build": f"roipca {roipca.__version__}, built by `pip install .`",
        "Python": f"{platform.python_version()}, NumPy {version('numpy')}, SciPy {version('scipy')}",
        "load before the run": f"{os.getloadavg()[0]:.1f}",
    }
