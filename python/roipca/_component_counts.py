"""How many components the rows support."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ComponentCounts:
    """The number of components by each of five rules, and their consensus. `str` shows it as a table.

    All rules assume rows that do not depend on each other, and noise of the same variance in every feature.

    Attributes
    ----------
    gavish_donoho : int
        Number above Gavish and Donoho's optimal threshold for singular values: those that improve the reconstruction.
    marchenko_pastur : int
        Number above the edge of Marchenko and Pastur, where the variances of pure noise end.
    tracy_widom : int
        Number above the 99 % quantile of the largest variance of pure noise: parallel analysis without simulation.
    minka : int or None
        Number with the largest evidence by Minka's formula, as `n_components="mle"` of scikit-learn's PCA; never 0.
        None if there are fewer rows than features.
    broken_stick : int
        Number above the mean lengths of the pieces of a stick that is broken at random: only those that stand out.
    consensus : int
        Median of these numbers; the lower one if there are two.
    noise_variance : float
        Variance of the noise in each direction if there are `consensus` components.
    cautions : list of str
        Reasons not to trust the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from roipca import OnlinePCA
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.standard_normal((2000, 4)) @ rng.standard_normal((4, 30)) + 0.5 * rng.standard_normal((2000, 30))
    >>> counts = OnlinePCA(10).fit(rows).suggest_components()
    >>> print(counts)
    Gavish-Donoho        4
    Marchenko-Pastur     5
    Tracy-Widom          4
    Minka                4
    broken stick         4
    consensus            4
    >>> counts.consensus, round(counts.noise_variance, 2), counts.cautions
    (4, 0.25, [])
    """

    gavish_donoho: int
    marchenko_pastur: int
    tracy_widom: int
    minka: int | None
    broken_stick: int
    consensus: int
    noise_variance: float
    cautions: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        rules = {
            "Gavish-Donoho": self.gavish_donoho,
            "Marchenko-Pastur": self.marchenko_pastur,
            "Tracy-Widom": self.tracy_widom,
            "Minka": "-" if self.minka is None else self.minka,
            "broken stick": self.broken_stick,
            "consensus": self.consensus,
        }
        return "\n".join([*(f"{rule:<16} {count:>5}" for rule, count in rules.items()), *self.cautions])
