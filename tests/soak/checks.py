"""Checks of an estimator that has seen a stream, each with its tolerance and the reason for it.

Rows enter an update rounded to their precision T, about a running mean: an error of at most epsilon |x - m|
per row. Over all rows that is rounding = epsilon (sum w |x - m|^2)^(1/2), and the singular values of the rows
move by no more than that (Weyl). Errors are therefore measured in singular values, in multiples of `rounding`
and never of the largest eigenvalue: a component with 1e-6 of the largest standard deviation is right to 1e-9
in double.
"""

from dataclasses import dataclass, field

import numpy as np
import recursion
from truth import effective_weights

DOUBLE = np.finfo(np.float64).eps

# Roundings of a row on its way into the components: the subtraction of the mean, the root of the weight, the
# product with the components, the residual below 16 roundings that a row-by-row update leaves out.
PER_ROW = 32.0
LEFT_OUT = 16.0
# Every update rounds the components to T once, in a random direction: errors add up like a random walk.
PER_ROOT_OF_UPDATES = 4.0
# A row below this part of the largest counts as nothing, since its squares leave the range of T: see kNothing and kLow
# in src/intake/moments.cpp.
NOTHING = {float(np.finfo(np.float32).eps): 2.0**-60, DOUBLE: 2.0**-275}
# Accuracy to which blocks solve for the directions of their subspace.
SUBSPACE = {"float32": 2.0**-21, "float64": 2.0**-40}
# Blocks solve for their subspace no further than what they leave out of the scatter allows: they may add this part
# to what the formulas lose.
OF_LOST = 0.05
# Features from which products of doubles are rounded to float, and the part of the trace that is then not held, with
# room for what changes in the course of a stream.
ROUNDED_FEATURES = 640
ROUNDED_IF_UNHELD = 2.0**-14
# Runs of the recursion that show how it amplifies a rounding.
DISTURBANCES = 3
# Drift from orthonormality, in roundings, that the header of the model promises; or one for each feature.
ORTHONORMAL = 512.0
# A dense eigensolver, and one for rank-one updates, lose a few roundings of the largest eigenvalue in every
# update. They may do so down to GRADED times the largest, so that the smallest of these is accurate to 1e-7.
# Smaller eigenvalues must be accurate to 1e-7 of themselves, or the component would be lost.
SOLVER = 8.0
GRADED = 1e-8


@dataclass
class Report:
    """Failures, and the error of every check as a multiple of its tolerance."""

    failures: list = field(default_factory=list)
    ratios: dict = field(default_factory=dict)

    def within(self, name, error, tolerance, text=""):
        """Checks that each error is at most its tolerance, and reports the worst place."""
        error, tolerance = np.atleast_1d(np.asarray(error, np.float64)), np.asarray(tolerance, np.float64)
        tolerance = np.broadcast_to(tolerance, error.shape)
        ratio = np.where(error == 0, 0.0, error / np.maximum(tolerance, 1e-300))
        if ratio.size == 0:
            return
        ratio = np.where(np.isnan(ratio), np.inf, ratio)
        at = int(ratio.argmax())
        self.ratios[name] = max(self.ratios.get(name, 0.0), float(ratio[at]))
        if ratio[at] > 1:
            where = f" at {at}" if ratio.size > 1 else ""
            self.failures.append(
                f"{name}{where}: error {error[at]:.3g}, tolerance {tolerance[at]:.3g} {text}".rstrip()
            )

    def holds(self, name, condition, text):
        self.ratios.setdefault(name, 0.0)
        if not condition:
            self.failures.append(f"{name}: {text}")


@dataclass
class Fit:
    """The results of an estimator, in the unit of the truth."""

    mean: np.ndarray
    variance: np.ndarray
    singular_values: np.ndarray
    explained: np.ndarray
    ratios: np.ndarray
    components: np.ndarray
    trace: float
    rows: int
    held_values: np.ndarray

    @classmethod
    def of(cls, pca, unit):
        model = pca._learned.core.model()
        return cls(
            mean=pca.mean_ / pca.scale_ * unit,
            variance=pca.var_ / pca.scale_**2,
            singular_values=pca.singular_values_ * unit,
            explained=pca.explained_variance_,
            ratios=pca.explained_variance_ratio_,
            components=pca.components_.astype(np.float64),
            trace=float(np.longdouble(model.trace) * np.longdouble(unit) ** 2),
            rows=len(pca.rows_covered_),
            held_values=np.sqrt(model.eigenvalues) * unit,
        )


def mean_loss(truth):
    """The mean is rounded once when it is read; before that, sums of differences lose a rounding per block."""
    return DOUBLE * (np.abs(truth.mean) + (8 + np.sqrt(truth.count)) * truth.spread)


def check_moments(report, fit, truth, eps, has_own_units=False, loss_of_trace=0.0):
    """Means, variances, trace and counts are exact, however little of the spectrum is held.

    Rows that are standardized are rounded to T in their new units, about an origin among them.
    """
    root_n = np.sqrt(truth.count)
    # A sum of n squares is right to n halves of a rounding, and its root to half of that. They need not add up at
    # random: equal numbers are rounded in the same direction, and so are small ones after an outlier.
    of_sums = truth.count / 4
    report.holds("rows", fit.rows == truth.count, f"{fit.rows} rows counted, {truth.count} given")
    of_units = eps * truth.spread if has_own_units else 0.0
    report.within("mean", np.abs(fit.mean - truth.mean), mean_loss(truth) + of_units)
    if truth.divisor == 0:
        report.holds("no variance", not fit.variance.any() and not fit.explained.any(), "of a single row")
        return
    some = fit.explained > 0
    divisor = np.longdouble(fit.singular_values[some] / truth.unit) ** 2 / fit.explained[some]
    # Sums of positive terms: roundings of n additions, which add up at random. Only a weight below the rounding
    # of the total is rounded away every time, or up: 1e16 + 1 is 1e16 however often 1 is added.
    total = truth.weights.sum()
    vanishing = float(truth.weights[truth.weights < DOUBLE * total].sum() / total)
    report.within("divisor", np.abs(divisor / truth.divisor - 1), (16 + 2 * root_n) * DOUBLE + 2 * vanishing)
    deviation = np.sqrt(fit.variance * truth.divisor) * truth.unit
    # Squares of rounded differences, summed in double.
    each = 8 * eps + (8 + of_sums) * DOUBLE + vanishing
    # The mean is kept in two numbers: a constant column may differ from it by the rounding of the second.
    second = (8 + root_n) * DOUBLE**2 * np.abs(truth.mean) * np.sqrt(truth.weights.sum())
    nothing = root_n * NOTHING[eps] * truth.size
    report.within("variance", np.abs(deviation - np.sqrt(truth.scatter)), each * truth.feature_sizes + second + nothing)
    # It is a sum over the features, of positive terms.
    of_sum = 0.5 * np.sqrt(len(truth.scatter)) * DOUBLE
    of_trace = (each + of_sum) * truth.size + in_singular_values(loss_of_trace, np.sqrt(float(truth.trace)))
    report.within("trace", np.abs(np.sqrt(fit.trace) - np.sqrt(truth.trace)), of_trace)


def check_form(report, fit, count, eps):
    """Checks properties of any spectrum, whichever rule found it."""
    finite = all(np.isfinite(a).all() for a in (fit.mean, fit.variance, fit.singular_values, fit.components))
    report.holds("finite", finite, "a result is not finite")
    report.holds("order", (np.diff(fit.explained) <= 0).all(), "variances ascend")
    report.holds("sign", (fit.explained >= 0).all(), "a variance is negative")
    # Quotients of two sums over rows, each with a rounding per row; rows are rounded to T in one of them.
    report.within("ratios", max(fit.ratios.sum() - 1, 0), 16 * eps + (8 + np.sqrt(count)) * DOUBLE)
    gram = fit.components @ fit.components.T
    features = fit.components.shape[1]
    report.within("orthonormal", np.abs(gram - np.eye(len(gram))).max(), max(ORTHONORMAL, features) * eps)


def check_observed(report, pca, stream):
    """Means are those of the values that are there, per feature."""
    used, weights = effective_weights(len(stream.rows), stream.weights, stream.forgetting)
    X = stream.rows[used].astype(np.longdouble)
    there = ~np.isnan(X) * weights[:, None]
    origin = np.nanmin(X, axis=0)
    mean = origin + np.nansum(there * (X - origin), axis=0) / there.sum(axis=0) if stream.center else 0 * origin
    spread = np.nanmax(np.abs(X - origin), axis=0)
    # As for mean_loss, with a rounding per row: every row may have other gaps. Rows are rounded to T about an origin
    # among them.
    loss = DOUBLE * (np.abs(mean) + (8 + used.sum()) * spread) + stream.eps * spread
    report.within("observed mean", np.abs(pca.mean_ - mean), np.where(there.any(axis=0), loss, np.inf))


def check_refined(report, fit, before, truth, eps):
    """One more pass over the rows leaves no less in the components, together, than there was before.

    That is, in the space that they span: components before the pass may be longer than 1 by many roundings (see
    ORTHONORMAL), and along them the rows would have more than there is.
    """

    def energy(of):
        return ((truth.deviations @ np.linalg.qr(of.components.T)[0]) ** 2).sum()

    lost = max(energy(before) - energy(fit), 0.0)
    # The products of the rows with the components are sums in T, right to roundings of the rows' squares.
    report.within("refined", lost, PER_ROW * eps * truth.size**2)


def roundings_of(updates):
    return PER_ROW + PER_ROOT_OF_UPDATES * np.sqrt(updates)


def rounding_of(truth, eps, updates):
    """Returns the error of singular values due to rounding rows and components to T."""
    return roundings_of(updates) * eps * truth.size


def solver_loss(truth, updates, dense_order):
    """Returns the error of eigenvalues due to solving small eigenproblems in double.

    ipca row by row uses a dense solver, of matrices of order `dense_order`. It is right to rounding of the largest
    eigenvalue, and says that it may lose as many roundings as the matrix has rows.
    """
    largest = np.full_like(truth.singular_values, truth.size**2)
    known = largest if dense_order else np.minimum(largest, truth.singular_values**2 / GRADED)
    return (max(SOLVER, dense_order) + np.sqrt(updates)) * DOUBLE * known


def scatter_loss(truth, updates):
    """The same for the scatter matrix: the error of its entries, relative to the diagonal ones beside them.

    By the definition in src/engine/scatter_matrix.hpp, which reports 0 for no more than that: a random walk of one
    rounding per block, three times as wide as usual, and 16 for eliminating the large entries. An error E of this
    kind, |E_ij| <= e s_i s_j, is |u^T E v| <= e a_u a_v between eigenvectors, a_v = sum |v_i| s_i. It changes the
    eigenvalue of v by up to e a_v^2, and turns v towards every other u: a coupling c = e a_u a_v between eigenvalues
    that stay g apart moves them by another ((g^2 + 4 c^2)^(1/2) - g) / 2, at most c and at most c^2 / g. Beside a
    sentinel, neighbours may have a_v that are a hundred times as large.
    """
    e = (3 * np.sqrt(updates) + 16) * DOUBLE
    a = np.abs(truth.vectors) @ np.sqrt(truth.scatter.astype(np.float64))
    own = e * a**2
    values = truth.singular_values**2
    gaps = np.abs(values[:, None] - values) - own[:, None] - own
    couplings = e * np.outer(a, a)
    turned = np.minimum(couplings, couplings**2 / np.maximum(gaps, 1e-300))
    np.fill_diagonal(turned, 0.0)
    return own + turned.sum(axis=1)


def sparse_loss(stream, truth):
    """The same for sparse rows about a mean, of which four products are formed before it is taken out.

    Together they have a rounding of |x|^2 + |mean|^2. Dense arithmetic takes over where less than 1e-8 of that is left:
    see `SparseUpdate::centre`, which knows the mean of a row's block, too.
    """
    if stream.feature != "sparse rows" or stream.by_rows or stream.method == "exact" or not stream.center:
        return 0.0
    X, weights = stream.rows[stream.used].astype(np.longdouble) * np.longdouble(truth.unit), truth.weights
    means = np.cumsum(weights[:, None] * X, axis=0) / np.cumsum(weights)[:, None]
    whole = (X**2 + means**2).sum(axis=1)
    is_sparse = ((X - means) ** 2).sum(axis=1) >= 1e-9 * whole
    return float(DOUBLE * (weights * whole)[is_sparse].sum())


def rounded_loss(stream, truth):
    """The same for dense rows of doubles whose products may be computed in single precision.

    The products of a row are then right to a few roundings of its square, which add up at random. They are in double
    if little is not held: see `BlockUpdate::may_round`.
    """
    by_blocks = stream.method in ("roipca", "ipca") and not stream.by_rows
    is_wide = stream.rows.shape[1] >= ROUNDED_FEATURES and stream.feature != "sparse rows"
    unheld = (truth.singular_values[stream.held :] ** 2).sum()
    if not (by_blocks and is_wide and stream.dtype == np.float64) or unheld < ROUNDED_IF_UNHELD * truth.trace:
        return 0.0
    squares = (truth.deviations**2).sum(axis=1)
    return float(4 * np.finfo(np.float32).eps * np.sqrt((squares**2).sum()))


def in_singular_values(loss, singular_values):
    """|s' - s| where s'^2 is s^2 up to the loss."""
    return np.minimum(np.sqrt(loss), loss / np.maximum(singular_values, 1e-300))


def reading_floor(stream, truth, vectors, rows_share=1.0):
    """Returns the singular value at and below which a model reports 0 for a direction, one per row of `vectors`.

    By the definition in src/engine/reported_spectrum.hpp: what components, known to 16 epsilon and one more
    for each rotation, have of the trace, and what numbers far from the origin are rounded by.
    """
    count = float(truth.count)
    if stream.forgetting < 1:
        count = min(count, 2 / (1 - stream.forgetting))
    rotates = stream.method != "exact" or stream.route in ("merge", "threads")
    rotations = 0.0 if not rotates else 16.0**2 + count / stream.block_size
    sizes = np.sqrt((truth.scatter / truth.weights.sum() + truth.mean**2).astype(np.float64))
    places = np.where(sizes > 0, 2.0 ** np.floor(np.log2(np.maximum(sizes, 1e-300))), 0.0) ** 2
    along = vectors**2 @ places
    alike = 2.0**-10 * np.maximum(along, 1e-290)[:, None]
    features = (np.minimum(places, alike) / alike).sum(axis=1)
    spread = (1 + np.sqrt(features / max(count * rows_share, 1.0))) ** 2
    entries = spread * float(truth.divisor) / 6 * along
    return stream.eps * np.sqrt(rotations * float(truth.trace) + entries)


def floor_loss(stream, truth, parts):
    """Returns how much lower eigenvalues may be because a model that is saved or merged reports 0 below its own floor.

    Each part, and each merge of some, leaves out components up to the floor of their direction. Second moments of
    parts add up to those of all, and a part of few rows is allowed a wider spread. A component of a part may lie
    along any feature, and what is left out with it has something along all directions (c q^T D q <= c max D).
    """
    features = np.eye(len(truth.mean))
    return parts * reading_floor(stream, truth, features, rows_share=1 / (2 * parts)).max() ** 2


def reported_places(values, floors, reported, tolerance):
    """Returns which of the descending values correspond to the reported ones, in order.

    All that are above their floor. One that is not is either there, with its value, or left out, and then those after
    it move up. Of all these ways, the one with the smallest largest error, as a part of the tolerance: neighbours may
    be closer to each other than their errors, so that the nearest value need not be the right one.
    """
    certain = values > floors + tolerance
    # best[k]: the first k reported values found their places among the values so far (largest error, places).
    best = {0: (0.0, ())}
    for i, value in enumerate(values):
        following = {}
        for k, (worst, places) in best.items():
            ways = []
            if k == len(reported) or not certain[i]:
                ways.append((k, (worst, places)))
            if k < len(reported) and (certain[i] or reported[k] > 0):
                error = abs(reported[k] - value)
                ratio = error / max(tolerance[i], 1e-300) if error > 0 else 0.0
                ways.append((k + 1, (max(worst, ratio), (*places, i))))
            for count, way in ways:
                if count not in following or way[0] < following[count][0]:
                    following[count] = way
        best = following
    # Values that are reported, but have no place, are compared with 0.
    left = np.append(np.cumsum((reported > 0)[::-1])[::-1], 0)
    return np.array(min(best.items(), key=lambda item: (left[item[0]], item[1][0]))[1][1], int)


def check_spectrum(report, fit, truth, floors, tolerance):
    """All components that there are: singular values, and what the rows have along each component.

    The second needs no gaps between eigenvalues, and the two together leave no room for a wrong direction:
    the energies along the components are the largest there can be. Returns the singular values that the
    components stand for, with 0 for those that are none, and the tolerance of each.
    """
    m = len(fit.singular_values)
    places = reported_places(truth.singular_values, floors, fit.singular_values, tolerance)
    n = len(places)
    true = np.pad(truth.singular_values[places], (0, m - n))
    tolerance = np.pad(tolerance[places], (0, m - n))
    largest = f"of {truth.singular_values[0]:.3g}"
    lost = (true > 4 * tolerance) & (fit.singular_values < true / 2)
    some = ", ".join(f"{v:.3g}" for v in true[lost][:3])
    report.holds("lost", not lost.any(), f"components of singular values {some} reported as less than half, {largest}")
    report.within("values", np.abs(fit.singular_values - true), tolerance, largest)
    energies = np.sqrt(((truth.deviations @ fit.components.T) ** 2).sum(axis=0))
    report.within("energies", np.abs(energies - true)[:n], tolerance[:n], largest)
    return true, tolerance


def check_t2(report, pca, rows, truth, used, true, tolerance, eps):
    """w T^2 / divisor is the leverage of a row, at most 1 for rows that the model was made of.

    A component that is the rounding of rows may have the energy of its tolerance, beside its own variance; it is there
    only if that is above what counts as rounding. The rounding of scores must not be divided by a variance far below
    it: of a row about the mean it is that of the mean, which a heavy row, close to the mean, counts often.
    """
    there = pca.explained_variance_ > 0
    if truth.divisor == 0 or not there.any():
        return
    rounded = there & (true <= 4 * tolerance)
    ours = pca.singular_values_ * truth.unit
    of_rounded = np.maximum(4.0, ((true + tolerance)[rounded] / ours[rounded]) ** 2).sum()
    of_mean = np.abs(pca.components_[there]) @ (mean_loss(truth) + eps * np.abs(truth.mean)) / ours[there]
    leverage = pca.t2(rows[used]) * truth.weights / truth.divisor
    report.within("t2", leverage, 4 + of_rounded + truth.weights * (of_mean**2).sum())


def check_truncated(report, fit, truth, plain, disturbed, floor_of, tolerance, of_lost):
    """A spectrum that lost directions agrees with the formulas in double, up to `of_lost` of what these lose.

    How far the formulas carry an error depends on the rows (two directions of nearly one eigenvalue, of which
    one is dropped); it is measured, by runs whose rows and components are disturbed. `disturbed` has such runs, and
    how many times the error of each is allowed.
    """
    m = len(fit.singular_values)
    held = len(plain.values)

    def values(of):
        roots = np.sqrt(of.values) * truth.unit
        return np.pad(roots, (0, max(0, held - len(roots))))[:held]

    def energies(Q, places):
        # Components are compared as spaces: neighbours with nearly equal eigenvalues may appear in any combination.
        squares = ((truth.deviations @ Q) ** 2).sum(axis=0)
        squares = np.pad(squares, (0, max(0, held - len(squares))))
        return np.sqrt(np.cumsum(squares[places]))

    wanted = values(plain)
    carried = max(times * np.abs(wanted - values(other)).max(initial=0.0) for other, times in disturbed)
    lost = np.abs(wanted - np.pad(truth.singular_values, (0, held))[:held]).max(initial=0.0)
    allowed = tolerance[:held] + carried + of_lost * lost
    places = reported_places(wanted, floor_of(plain.Q.T), fit.singular_values, allowed)
    n = len(places)
    error = np.abs(fit.singular_values - np.pad(wanted[places], (0, m - n)))
    report.within("recursion, values", error, np.pad(allowed[places], (0, m - n)), f"of {wanted.max(initial=0):.3g}")
    wanted = energies(plain.Q, places)
    carried = max(times * np.abs(wanted - energies(other.Q, places)).max(initial=0.0) for other, times in disturbed)
    error = np.abs(energies(fit.components.T, np.arange(n)) - wanted)
    most = np.sqrt(np.cumsum(np.pad(truth.singular_values, (0, held))[:n] ** 2))
    allowed = tolerance[places] + carried + of_lost * np.abs(most - wanted).max(initial=0.0)
    report.within("recursion, energies", error, allowed, f"of {wanted.max(initial=0):.3g}")


def check_below(report, fit, truth, tolerance):
    """If nothing replaces the dropped eigenvalues, no eigenvalue exceeds that of the batch (interlacing)."""
    true = truth.singular_values[: len(fit.held_values)]
    report.within("never above", np.maximum(fit.held_values - true, 0), tolerance[: len(true)])


def check_sketch(report, fit, truth, held, loss, floor):
    """Frequent Directions: 0 <= S - B^T B <= |A - A_j|^2 / (k + 1 - j) for every j (Ghashami et al. 2016).

    What is no more than `floor` may be reported as 0, and then later ones take its place.
    """
    squares = truth.singular_values**2
    tails = np.append(np.cumsum(squares[::-1])[::-1], 0.0)
    most = min(tails[j] / (held + 1 - j) for j in range(min(held, len(squares)) + 1))
    m = len(fit.singular_values)
    ours = fit.singular_values**2
    left_out = np.where((ours == 0) | (squares[:m] <= floor**2), floor**2, 0.0)
    report.within("sketch", np.maximum(squares[:m] - most - left_out - ours, ours - squares[:m]).clip(0), loss)


def sketch_loss(stream, truth, updates):
    """The sketch is shrunk by its Gram matrix in T, which loses roundings of the largest eigenvalue: sums of squares,
    whose halves of a rounding add up where rows are alike. Forgetting multiplies by the same powers of one factor
    after every shrinking, so that their roundings add up."""
    forgotten = truth.count * DOUBLE if stream.forgetting < 1 else 0.0
    return ((roundings_of(updates) + updates / 2) * stream.eps + forgotten) * truth.size**2


def disturbed_runs(stream, truth, rng, roundings):
    """Returns runs of the recursion on disturbed rows, and how many times the error of each is allowed.

    One rounding shows how far a small error is carried; as many are allowed as for a whole spectrum. fROIPCA also
    decides whether a row turns a component by more than 45 degrees, and an error that changes a decision is carried
    by a jump. For it, runs are disturbed by all these roundings at once. Their errors are up to an order of magnitude
    apart: four times the largest of a few is allowed.
    """
    runs = [(run_recursion(stream, truth, rng), roundings) for _ in range(DISTURBANCES)]
    if stream.method == "froipca":
        runs += [(run_recursion(stream, truth, rng, roundings), 4.0) for _ in range(2 * DISTURBANCES)]
    return runs


def run_recursion(stream, truth, rng=None, roundings=1.0):
    """The formulas on the stream's rows; rows and components are disturbed by a number of roundings each where there
    is a generator."""
    used = stream.used
    X = stream.rows[used].astype(np.longdouble)
    if stream.center:
        X = X - X[0]
    if stream.units is not None:
        X = X / stream.units.scale
    weights = np.ones(len(X)) if stream.weights is None else stream.weights[used]
    arguments = (X.shape[1], stream.held, stream.mu, stream.center, stream.forgetting)
    if stream.method == "froipca":
        tau = stream.parameters.get("tau", "zero")
        plain = recursion.FastRecursion(*arguments, tau=tau, noise=LEFT_OUT * stream.eps)
    else:
        plain = recursion.Recursion(*arguments)
    if rng is not None:
        X = X + roundings * stream.eps * truth.reach * rng.uniform(-1, 1, X.shape)
        each = roundings * (stream.eps if stream.by_rows else SUBSPACE[stream.dtype.name])
        double = roundings * DOUBLE

        # fROIPCA adds the residual as v - Q z, in T: what cancels there has the size of the largest component of its
        # feature. Rotations multiply components by entries that are as small as the results are.
        def sizes(Q):
            return np.abs(Q).max(axis=1, initial=0.0)[:, None] if stream.method == "froipca" else np.abs(Q)

        # fROIPCA's mu is the trace minus eigenvalues that components of T know to a rounding of T. (A model has no
        # more than these, and a stream that is resumed from it must have the same bits.)
        of_trace = roundings * stream.eps if stream.method == "froipca" else double
        plain.disturb_trace = lambda trace: trace * (1 + of_trace * rng.uniform(-1, 1))
        plain.disturb = lambda Q: Q + each * sizes(Q) * rng.uniform(-1, 1, Q.shape)
        if stream.dense_by_rows:
            plain.disturb_values = lambda values: np.maximum(
                values + double * values.max(initial=0.0) * rng.uniform(-1, 1, values.shape), 0.0
            )
        elif stream.by_rows:
            plain.disturb_values = lambda values: values * (1 + double * rng.uniform(-1, 1, values.shape))
    return recursion.run(plain, X, weights, stream.blocks)
