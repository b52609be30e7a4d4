"""What a piece was run on, for the page."""

import importlib.metadata
import os
import platform

import roipca


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def describe():
    version = importlib.metadata.version
    return {
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "instruction set in use": roipca.instruction_set(),
        "build": f"roipca {roipca.__version__}, the wheel of `pip install .`",
        "Python": f"{platform.python_version()}, NumPy {version('numpy')}, SciPy {version('scipy')}",
        "load before the run": f"{os.getloadavg()[0]:.1f}",
    }
