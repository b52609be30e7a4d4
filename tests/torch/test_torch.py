"""PyTorch: tensors in, tensors out, and a model as a layer. Run by `make test-torch`, because torch is large."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from roipca import OnlinePCA, _tensors

GUIDE = Path(__file__).parents[2] / "docs" / "ecosystem.md"


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.standard_normal((500, 20)) * np.linspace(5, 1, 20) + rng.standard_normal(20)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tensors_give_the_bits_of_arrays(rows, dtype):
    X = torch.from_numpy(rows).to(dtype)
    pca, same = OnlinePCA(3).fit(X), OnlinePCA(3).fit(X.numpy())
    assert pca.components_.dtype == X.numpy().dtype
    assert pca.components_.tobytes() == same.components_.tobytes()
    scores = pca.transform(X)
    assert isinstance(scores, torch.Tensor) and scores.dtype == dtype
    np.testing.assert_array_equal(scores.numpy(), same.transform(X.numpy()))
    again = pca.inverse_transform(scores)
    assert isinstance(again, torch.Tensor) and again.shape == X.shape
    for name in ("t2", "spe", "score_samples"):
        np.testing.assert_array_equal(getattr(pca, name)(X).numpy(), getattr(same, name)(X.numpy()))
    assert isinstance(OnlinePCA(3).fit_transform(X), torch.Tensor)


def test_tensors_are_read_in_place(rows):
    X = torch.from_numpy(rows)
    assert np.shares_memory(_tensors.tensor_rows(X), rows)
    assert np.shares_memory(_tensors.tensor_rows(X.requires_grad_()), rows)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_becomes_float32(rows, dtype):
    X = torch.from_numpy(rows).to(dtype)
    pca = OnlinePCA(3).partial_fit(X[:400])
    for x in X[400:]:
        pca.update(x)
    assert pca.n_samples_seen_ == 500 and pca.components_.dtype == np.float32
    np.testing.assert_allclose(pca.mean_, X.double().mean(dim=0).numpy(), rtol=1e-5, atol=1e-5)
    assert pca.transform(X).dtype == torch.float32


def test_gradients_do_not_stand_in_the_way(rows):
    X = torch.from_numpy(rows).requires_grad_()
    pca = OnlinePCA(3).partial_fit(X).update(X[0])
    assert pca.n_samples_seen_ == 501 and not pca.transform(X).requires_grad


def test_a_data_loader_is_a_stream(rows):
    X = torch.from_numpy(rows)
    whole = OnlinePCA(3).partial_fit(X)
    for loader in (DataLoader(X, batch_size=64), DataLoader(TensorDataset(X), batch_size=64)):
        pca = OnlinePCA(3).fit_stream(loader, progress=False)
        assert pca.components_.tobytes() == whole.components_.tobytes()
    labelled = DataLoader(TensorDataset(X, torch.arange(500)), batch_size=64)
    pca = OnlinePCA(3).fit_stream((batch for batch, _ in labelled), progress=False)
    assert pca.n_samples_seen_ == 500


@pytest.mark.parametrize("options", [{}, {"whiten": True}, {"center": False}, {"standardize": True}])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_layer_gives_the_scores_of_transform(rows, dtype, options):
    X = rows.astype(dtype)
    pca = OnlinePCA(3, **options).fit(X)
    layer = pca.to_torch()
    scores = layer(torch.from_numpy(X))
    assert scores.dtype == (torch.float32 if dtype == np.float32 else torch.float64)
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(scores.detach().numpy(), pca.transform(X), rtol=tolerance, atol=tolerance)
    before = layer.weight.clone()
    pca.partial_fit(100 * X)
    assert torch.equal(layer.weight, before)


def test_the_layer_exports_to_onnx(rows, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X = rows.astype(np.float32)
    pca = OnlinePCA(3).fit(X)
    path = tmp_path / "pca.onnx"
    torch.onnx.export(pca.to_torch().eval(), (torch.from_numpy(X),), str(path), input_names=["rows"])
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    [scores] = session.run(None, {"rows": X})
    np.testing.assert_allclose(scores, pca.transform(X), rtol=1e-4, atol=1e-4)


def test_sparse_tensors_are_refused(rows):
    with pytest.raises(TypeError, match=r"layout torch.sparse_coo are not supported"):
        OnlinePCA(3).fit(torch.from_numpy(rows).to_sparse())


def test_examples_in_docstrings_run():
    result = doctest.testmod(_tensors)
    assert result.attempted > 0 and result.failed == 0


def test_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python torch\n(.*?)^```", GUIDE.read_text(), flags=re.DOTALL | re.MULTILINE)
    namespace = {}
    for block in blocks:
        exec(compile(block, GUIDE.name, "exec"), namespace)
    assert blocks
