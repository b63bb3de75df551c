"""Entries with row programs: the example runs on both devices, and a kernel that is not its program is found."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.runtime.dispatch.kernel_ops.kernel_op import table_of
from tests.places import simulated_device
from tests.repository import ROOT

SPEC = "norm_ops/norm_ops.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's package, generated without proofs: they take half a minute."""
    root = tmp_path_factory.mktemp("norms")
    ignored = shutil.ignore_patterns("generated", "__pycache__")
    shutil.copytree(ROOT / "examples" / "norm_ops" / "src", root, ignore=ignored, dirs_exist_ok=True)
    assert main([str(root / SPEC), "--no-verify"]) == 0
    return root


@pytest.fixture
def norm_ops(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(folder))
    import norm_ops

    yield norm_ops
    for name in [name for name in sys.modules if name.partition(".")[0] == "norm_ops"]:
        del sys.modules[name]


def test_a_norm_by_spec_alone_runs_on_both_devices(norm_ops: Any) -> None:
    """Values and gradients, along any dimension."""
    for shape, dim in (((6, 40), -1), ((3, 40, 2), 1)):
        x, gain = sg.randn(*shape), sg.randn(40)
        found = []
        with simulated_device():
            for device in ("cpu", "cuda"):
                inputs = [value.detach().to(device).requires_grad_() for value in (x, gain)]
                result = norm_ops.gained_rms(*inputs, dim)
                (result * result).sum().backward()
                found.append([result.detach().cpu(), *(each.grad.cpu() for each in inputs)])
        for one, other in zip(*found, strict=True):
            assert sg.allclose(one, other, rtol=1e-4, atol=1e-5)


def test_a_reduction_by_spec_alone_has_places(norm_ops: Any) -> None:
    """Over several dimensions, that are kept or not."""
    x = sg.randn(3, 4, 2)
    width, top = norm_ops.spread(x, (0, 2), True)
    assert width.shape == (1, 4, 1) and top.dtype is sg.int64
    rows = x.permute(1, 0, 2).reshape(4, 6)
    assert sg.equal(top.reshape(4), rows.argmax(1))


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.float16])
def test_calls_have_plans(norm_ops: Any, dtype: Any) -> None:
    """Native code makes a call that was made before: numbers, places, several dimensions, 16-bit floats."""
    from norm_ops.generated.ops import rows

    exact = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float16).astype(float)
    x, gain = sg.tensor(exact, dtype=dtype), sg.arange(1.0, 6.0, dtype=dtype)
    expected = exact * np.arange(1.0, 6.0) / np.sqrt((exact**2).mean(-1, keepdims=True) + 0.25)
    both, tolerance = exact.reshape(3, 20), 2e-3 if dtype is sg.float16 else 1e-6
    for _ in range(2):
        for same in (x, x.mT.contiguous().mT):  # the other has no rows that lie one after the other
            np.testing.assert_allclose(norm_ops.gained_rms(same, gain, 2, 0.25).numpy(), expected, tolerance, tolerance)
        width, top = norm_ops.spread(x, (1, 2))
        np.testing.assert_allclose(width.numpy(), np.ptp(both, 1), tolerance)
        assert top.tolist() == both.argmax(1).tolist()
    for op in (rows.GAINED_RMS, rows.SPREAD):
        assert any(table_of(op, dtype).values()), op.name


def test_wrong_shapes_and_dims_are_refused(norm_ops: Any) -> None:
    """Before anything is computed, by the name of the op."""
    with pytest.raises(IndexError, match=r"gained_rms\(\): Dimension out of range"):
        norm_ops.gained_rms(sg.randn(3), sg.randn(3), 1)
    with pytest.raises(
        RuntimeError, match=r"expected gain to have the shape \(3,\) \(that of one row\), but got \(2,\)"
    ):
        norm_ops.gained_rms(sg.randn(2, 3), sg.randn(2))


def test_a_kernel_that_is_not_its_program_is_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By verify, which runs both devices beside the program on NumPy; the spec is not at fault, the kernels are."""
    from specgrad.codegen.verify.command import Package, verify

    package = Package.of(folder / "norm_ops" / "generated", spec=folder / SPEC)
    assert verify(package, ["spread"]) == 0
    for device, of in (("cpu", "the loop for the CPU"), ("cuda", "the kernel for CUDA")):
        path = folder / f"norm_ops/generated/kernels/programs/{device}_spread.py"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("width = max_1 - min_2", "width = max_1 + min_2"), encoding="utf-8")
        assert verify(package, ["spread"]) != 0
        assert of in capsys.readouterr().out
        path.write_text(text, encoding="utf-8")
