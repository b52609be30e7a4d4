import os

# scikit-learn's checks skip those of the array API unless this is set before scipy is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest


@pytest.fixture
def rows():
    """500 rows of 30 features: six strong directions and a little noise, away from the origin."""
    rng = np.random.default_rng(0)
    strong = rng.standard_normal((500, 6)) * np.linspace(5, 1, 6)
    return 3.0 + strong @ rng.standard_normal((6, 30)) / np.sqrt(30) + 0.01 * rng.standard_normal((500, 30))
