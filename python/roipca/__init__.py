"""Online PCA: one pass over a stream, memory for a few components, nothing to tune."""

from ._core import __version__, instruction_set
from .online_pca import OnlinePCA

__all__ = ["OnlinePCA", "__version__", "instruction_set"]
