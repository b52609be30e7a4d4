"""Runs the code of docs/ecosystem.md, one library at a time."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "ecosystem.md"


@pytest.mark.parametrize("library", ["river", "anndata"])
def test_the_guide_runs(library, tmp_path, monkeypatch):
    pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(rf"^```python {library}\n(.*?)^```", GUIDE.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(compile(block, GUIDE.name, "exec"), namespace)
