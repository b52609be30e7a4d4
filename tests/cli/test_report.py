"""The report's numbers, held against NumPy, and the sample of rows for it. Another file looks at it in a browser."""

import json
import re

import numpy as np
import pytest
from numpy_oracle import batch, write_csv


def plot_data(page):
    """The numbers that a report draws."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])


def report_data(roipca, *arguments):
    roipca("report", *arguments, "-o", "page.html")
    return plot_data((roipca.folder / "page.html").read_text())


def test_the_report_needs_nothing_else(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m.safetensors")
    assert roipca("report", "m.safetensors") == "report in m.html\n"
    page = (tmp_path / "m.html").read_text()
    assert "default-src 'none'" in page
    # The name of the SVG elements is no address to load.
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "40 features" in roipca.refuse("report", "m.safetensors", "--image", "5x9")


def test_the_report_has_the_numbers_of_batch_pca(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    components, variances = batch(rows, 3)
    data = report_data(roipca, "m", "a.npy")
    np.testing.assert_allclose(data["variance"], variances[:3], rtol=1e-12)
    np.testing.assert_allclose(data["share"], variances[:3] / variances.sum(), rtol=1e-12)
    assert data["scores"]["rows"] == list(range(300))
    scores = (rows - rows.mean(axis=0)) @ components[:2].T
    np.testing.assert_allclose(data["scores"]["scores"], scores.T, rtol=1e-9, atol=1e-9)

    # Loadings for lines and images have five digits of the largest.
    assert data["loadings"]["form"] == "lines"
    for line, component in zip(data["loadings"]["components"], components, strict=True):
        np.testing.assert_allclose(line["low"], component, atol=5e-5)
        ends = [component.argmin(), component.argmax()]
        assert [name for name, _ in line["extremes"]] == [f"feature {end + 1}" for end in ends]
        np.testing.assert_allclose([value for _, value in line["extremes"]], component[ends], rtol=1e-9)
    images = report_data(roipca, "m", "--image", "5x8")["loadings"]
    np.testing.assert_allclose(images["components"], components, atol=5e-5)
    bars = report_data(roipca, "m", "--loadings", "bars", "--shown", 1)["loadings"]["components"]
    order = np.abs(components[0]).argsort()[::-1][:20]
    assert [name for name, _ in bars[0]] == [f"feature {i + 1}" for i in order] and len(bars) == 1


def test_a_report_of_many_features_stays_small(roipca, tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20, 500 * 700)).astype(np.float32)
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 1, "-o", "m", "--float32")
    component = batch(rows.astype(float), 1)[0][0]
    line = report_data(roipca, "m")["loadings"]
    runs = component.reshape(1000, 350)
    assert line["run"] == 350
    # Float has seven digits, and the page five.
    np.testing.assert_allclose(line["components"][0]["low"], runs.min(axis=1), atol=1e-4 * component.max())
    np.testing.assert_allclose(line["components"][0]["high"], runs.max(axis=1), atol=1e-4 * component.max())
    image = report_data(roipca, "m", "--image", "500x700")["loadings"]
    assert image["side"] == 4
    means = component.reshape(125, 4, 175, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(np.reshape(image["components"][0], (125, 175)), means, atol=1e-4 * component.max())
    assert (tmp_path / "page.html").stat().st_size < 500_000


def form(roipca, tmp_path, names, *options):
    rng = np.random.default_rng(0)
    write_csv(tmp_path / "a.csv", rng.standard_normal((50, len(names))), names)
    roipca("fit", "a.csv", "-k", 1, "-o", "m", "--header", "yes")
    return report_data(roipca, "m", *options)["loadings"]


def test_loadings_are_bars_unless_features_have_an_order(roipca, tmp_path):
    assert form(roipca, tmp_path, [f"gene {i}" for i in range(40)])["form"] == "bars"
    assert form(roipca, tmp_path, [f"gene {i}" for i in range(40)], "--loadings", "lines")["form"] == "lines"
    wavelengths = [f"{900 + 2.5 * i}" for i in range(40)]
    data = form(roipca, tmp_path, wavelengths)
    assert data["form"] == "lines" and data["axis"] == [float(wavelength) for wavelength in wavelengths]
    assert form(roipca, tmp_path, wavelengths[::-1])["form"] == "bars"
    assert form(roipca, tmp_path, [str(i) for i in range(5)])["form"] == "bars"


@pytest.mark.parametrize("count", [999, 30_000])
def test_a_sample_is_of_all_rows_however_they_are_cut(roipca, tmp_path, count):
    rows = np.stack([np.arange(count), np.arange(count) ** 2 % 1000], axis=1).astype(float)
    np.save(tmp_path / "a.npy", rows)
    np.save(tmp_path / "b.npy", rows[:700])
    np.save(tmp_path / "c.npy", rows[700:])
    roipca("fit", "a.npy", "-k", 1, "-o", "model.safetensors", "--sample", "s.npy")
    sample = np.load(tmp_path / "s.npy")
    chosen = sample[:, 0].astype(int)
    assert np.array_equal(sample, rows[chosen]) and np.all(np.diff(chosen) > 0)
    assert len(chosen) == min(count, 1000)
    # The mean of n of N numbers drawn without replacement, within four of its standard deviations.
    n = len(chosen)
    deviation = np.sqrt((count + 1) * (count - n) / (12 * n))
    assert abs(chosen.mean() - (count - 1) / 2) <= 4 * deviation

    roipca("fit", "b.npy", "c.npy", "-k", 1, "-o", "model.safetensors", "--threads", 2, "--sample", "parts.npy")
    data = (tmp_path / "a.npy").read_bytes()
    roipca("fit", "-", "-k", 1, "-o", "model.safetensors", "--sample", "pipe.npy", data=data)
    assert np.array_equal(np.load(tmp_path / "parts.npy"), sample)
    assert np.array_equal(np.load(tmp_path / "pipe.npy"), sample)
    assert report_data(roipca, "model.safetensors", "a.npy")["scores"]["rows"] == chosen.tolist()


def test_a_resumed_fit_samples_all_rows(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    roipca("fit", "a.npy", "-k", 3, "-o", "model.safetensors", "--checkpoint", "c", "--every", 1)
    roipca("fit", "a.npy", "-k", 3, "-o", "model.safetensors", "--resume", "c", "--sample", "s.csv")
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "s.csv", delimiter=",", skiprows=1), rows)
    assert len(report_data(roipca, "model.safetensors", "s.csv")["scores"]["rows"]) == 300


def test_a_report_scores_only_rows_of_the_models_features(roipca, tmp_path, rows):
    np.save(tmp_path / "a.npy", rows)
    np.save(tmp_path / "b.npy", rows[:, :39])
    roipca("fit", "a.npy", "-k", 3, "-o", "m")
    assert "40 features" in roipca.refuse("report", "m", "b.npy")


def test_names_and_title_are_escaped(roipca, tmp_path, rows):
    evil = "<script>alert(1)</script>"
    write_csv(tmp_path / "a.csv", rows, [evil, "it's", *(f"x{i}" for i in range(38))])
    roipca("fit", "a.csv", "-k", 3, "-o", "m")
    data = report_data(roipca, "m", "--title", evil)
    page = (tmp_path / "page.html").read_text()
    assert evil not in page and "<title>&lt;script&gt;" in page
    assert any(name == evil for bars in data["loadings"]["components"] for name, _ in bars)
