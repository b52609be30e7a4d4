"""Uses an installed wheel as users do: fits, transforms, and runs the command. scripts/test-wheel runs it."""

import gzip
import lzma
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

import roipca

COMPONENTS = 4
COMMAND = Path(sys.executable).parent / "roipca"


def make_rows() -> np.ndarray:
    """Returns rows with a few strong factors in weak noise, so that one pass finds the components of batch PCA."""
    random = np.random.default_rng(7)
    factors = random.standard_normal((COMPONENTS, 60)) * np.array([[8.0], [4.0], [2.0], [1.0]])
    noise = 1e-4 * random.standard_normal((3000, 60))
    return random.standard_normal((3000, COMPONENTS)) @ factors + noise + 5.0


def batch_components(rows: np.ndarray) -> np.ndarray:
    return np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][:COMPONENTS]


def assert_same_subspace(found: np.ndarray, expected: np.ndarray) -> None:
    # The noise is 1e-4 of the weakest factor; what a single pass can lose is its square.
    cosines = np.linalg.svd(found @ expected.T)[1]
    np.testing.assert_allclose(cosines, 1.0, rtol=0, atol=1e-7)


def run(*arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"roipca {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def check_package(rows: np.ndarray) -> roipca.OnlinePCA:
    pca = roipca.OnlinePCA(COMPONENTS)
    for start in range(0, len(rows), 100):
        pca.partial_fit(rows[start : start + 100])
    assert_same_subspace(pca.components_, batch_components(rows))
    restored = pca.inverse_transform(pca.transform(rows))
    assert np.abs(restored - rows).max() < 1e-3, "four components should restore the rows up to their noise"
    # A wheel with a static C++ runtime had messages without their numbers.
    assert "row 0: NaN in column 3" in refusal(pca, np.where(np.arange(60) == 3, np.nan, rows[0]))
    return pca


def refusal(pca: roipca.OnlinePCA, row: np.ndarray) -> str:
    try:
        pca.update(row)
    except ValueError as error:
        return str(error)
    return "the row was taken"


def write_inputs(rows: np.ndarray, folder: Path) -> list[Path]:
    """The same rows in formats that need no library, zlib, HDF5 and liblzma."""
    inputs = [folder / "rows.npy", folder / "rows.csv.gz", folder / "rows.h5", folder / "rows.csv.xz"]
    np.save(inputs[0], rows)
    with gzip.open(inputs[1], "wt") as file:
        np.savetxt(file, rows, delimiter=",", fmt="%.17g")
    with h5py.File(inputs[2], "w") as file:
        file.create_dataset("rows", data=rows, compression="gzip", shuffle=True)
    with lzma.open(inputs[3], "wt") as file:
        np.savetxt(file, rows, delimiter=",", fmt="%.17g")
    return inputs


def check_command(rows: np.ndarray, pca: roipca.OnlinePCA, folder: Path) -> None:
    for data in write_inputs(rows, folder):
        model, scores = folder / "model.roipca", folder / "scores.npy"
        run("fit", data, "-k", str(COMPONENTS), "-o", model)
        run("transform", model, data, "-o", scores)
        found = np.load(scores)
        expected = pca.transform(rows)
        signs = np.sign(np.sum(found * expected, axis=0))
        np.testing.assert_allclose(found * signs, expected, atol=1e-6 * np.abs(expected).max(), err_msg=data.name)
        model.unlink()
        scores.unlink()


def main() -> None:
    rows = make_rows()
    pca = check_package(rows)
    with tempfile.TemporaryDirectory() as folder:
        check_command(rows, pca, Path(folder))
    print(f"roipca {roipca.__version__} works here, by Python {sys.version.split()[0]}: {run('--version').strip()}")


if __name__ == "__main__":
    main()
