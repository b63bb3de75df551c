"""A package that calls what its base has lost says so when it is imported, not in the first `backward()`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from specgrad.codegen.__main__ import main
from tests.repository import ROOT

LOWER = """\
- name: tripled(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: 3 * self

- name: halved(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self / 2
"""
UPPER = """\
- name: leaning(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: self * self
  self: grad * 2 * halved(self) * 2 * self.isfinite()
  result: auto_element_wise
"""
DOUBLED = (
    "import specgrad as sg, upper; x = sg.ones(2, requires_grad=True); upper.leaning(x).sum().backward(); print(x.grad)"
)


def run(folder: Path, program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`upper`, which builds on `lower`; each is a folder that was generated."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in {"lower": LOWER, "upper": UPPER}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        base = ["--base", "lower"] if name == "upper" else []
        assert main([str(tmp_path / f"{name}.yaml"), "--out", str(tmp_path / name), "--no-verify", *base]) == 0
    return tmp_path


def test_what_a_base_has_lost_is_named_on_import(packages: Path) -> None:
    """The error names the package, the op, its base, and both ways out."""
    used = (packages / "upper" / "__init__.py").read_text(encoding="utf-8")
    assert '"lower": ["halved"]' in used and '"isfinite"' in used
    assert run(packages, DOUBLED) == "tensor([2., 2.])\n"
    (packages / "lower.yaml").write_text(LOWER.partition("\n\n")[0] + "\n", encoding="utf-8")
    assert main([str(packages / "lower.yaml"), "--out", str(packages / "lower"), "--no-verify"]) == 0
    assert run(packages, "import upper").splitlines()[-1] == (
        "ImportError: upper calls the op halved of lower, which has none any more: install the lower that it was "
        "generated with, or take halved out of its spec and run `python -m specgrad.codegen upper.yaml --base lower`"
    )
