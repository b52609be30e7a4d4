"""Online PCA: one pass over a stream, memory for a few components, nothing to tune."""

import importlib
from typing import Any

from ._component_counts import ComponentCounts
from ._core import MonitorReading, instruction_set, version
from ._errors import DataError
from ._merging import merge_all
from ._preparation import prepare_rows
from .online_kernel_pca import OnlineKernelPCA
from .online_pca import OnlinePCA

__version__ = version()
__all__ = [
    "ComponentCounts",
    "DataError",
    "MonitorReading",
    "OnlineKernelPCA",
    "OnlinePCA",
    "__version__",
    "instruction_set",
    "merge_all",
    "prepare_rows",
]


def __getattr__(name: str) -> Any:
    # Imported when first used, because they need optional libraries.
    if name in ("anndata", "dask", "plot", "river", "spark"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
