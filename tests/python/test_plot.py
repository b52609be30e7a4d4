"""Plots show the numbers of the estimator, in the axes they are given."""

from __future__ import annotations

import doctest
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from roipca import OnlinePCA, plot


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((400, 12)) * np.linspace(3, 1, 12)


@pytest.fixture(scope="module")
def pca(rows: np.ndarray) -> OnlinePCA:
    return OnlinePCA(4).fit(rows)


@pytest.fixture
def ax():
    return Figure().add_subplot()


def test_every_plot_draws_into_the_axes_it_is_given_and_returns_them(pca, rows):
    draw = [
        plot.scree,
        plot.cumulative_variance,
        plot.loadings,
        lambda p, ax: plot.score_plot(p, rows, ax=ax),
        lambda p, ax: plot.biplot(p, rows, ax=ax),
        lambda p, ax: plot.component_images(p, (3, 4), ax=ax),
        lambda p, ax: plot.control_chart(p, rows, ax=ax),
        lambda p, ax: plot.contributions(p, rows[0], ax=ax),
    ]
    for function in draw:
        ax = Figure().add_subplot()
        assert function(pca, ax=ax) is ax
        assert ax.has_data()
        ax.figure.canvas.draw()


def test_a_plot_without_axes_makes_its_own(pca):
    ax = plot.scree(pca)
    assert ax.figure is not None


def test_the_scree_plot_has_the_variances(pca, ax):
    np.testing.assert_array_equal(plot.scree(pca, ax=ax).lines[0].get_ydata(), pca.explained_variance_)


def test_the_control_chart_has_the_statistic_its_limits_and_the_rows_beyond(pca, rows, ax):
    values = rows.copy()
    values[7] *= 30
    plot.control_chart(pca, values, of="t2", confidence=0.99, ax=ax)
    line, beyond, limit = ax.lines
    np.testing.assert_array_equal(line.get_ydata(), pca.t2(values))
    assert 7 in beyond.get_xdata()
    assert limit.get_ydata()[0] == pca.t2_limit(0.99)


def test_contributions_are_drawn_with_the_largest_on_top(pca, rows, ax):
    odd = rows[0].copy()
    odd[5] += 50
    plot.contributions(pca, odd, ax=ax)
    assert ax.get_yticklabels()[0].get_text() == "5"
    assert ax.yaxis.get_inverted()


def test_classes_of_a_score_plot_have_a_legend(pca, rows, ax):
    plot.score_plot(pca, rows, colors=np.repeat(["a", "b"], 200), ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_the_ellipse_covers_about_as_many_rows_as_it_says(pca, rows, ax):
    plot.score_plot(pca, rows, confidence=0.9, ax=ax)
    (ellipse,) = ax.patches
    scores = pca.transform(rows)[:, :2]
    inside = np.sum((2 * scores / [ellipse.width, ellipse.height]) ** 2, axis=1) <= 1
    assert 0.85 < inside.mean() < 0.95  # 0.9 and three deviations of 400 rows


def test_images_of_a_wrong_shape_are_refused(pca, ax):
    with pytest.raises(ValueError, match="images of 5 x 5 pixels have 25 features, not 12"):
        plot.component_images(pca, (5, 5), ax=ax)


def test_the_examples_in_docstrings_run():
    matplotlib.use("Agg")
    result = doctest.testmod(plot)
    assert result.attempted >= 4 * 8 and result.failed == 0
    pyplot.close("all")


def test_without_matplotlib_the_message_says_how_to_get_it():
    code = "import sys; sys.modules['matplotlib'] = None; from roipca import *; from roipca import plot; "
    code += "plot.scree(OnlinePCA(1).fit([[1.0, 2.0], [2.0, 3.0]]))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "ImportError: This needs matplotlib: pip install 'roipca[plot]'" in shown
