"""Online PCA: one pass over a stream, memory for a few components, nothing to tune."""

from ._core import instruction_set, version
from .online_kernel_pca import OnlineKernelPCA
from .online_pca import OnlinePCA

__version__ = version()
__all__ = ["OnlineKernelPCA", "OnlinePCA", "__version__", "instruction_set"]
