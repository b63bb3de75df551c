"""16-bit floats in native code: small and large calls, the same bits as in Python alone, and rounded once."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import kernels
from specgrad.nn import functional as F
from tests.repository import ROOT

DTYPES = {"bfloat16": sg.bfloat16, "float16": sg.float16}
ROUNDED = {"bfloat16": np.dtype(ml_dtypes.bfloat16), "float16": np.dtype(np.float16)}
PROGRAMS: dict[str, Callable[[sg.Tensor, sg.Tensor], sg.Tensor]] = {
    "add": lambda x, y: x + y,
    "gelu": lambda x, y: F.gelu(x) * y,
    "number": lambda x, y: (x * 0.3 + 2) / y.exp(),
    "row": lambda x, y: x * y[0] - y[:, :1],
    "turned": lambda x, y: x.mT * 2 + y.mT,
    "mask": lambda x, y: sg.where(x > y, x, y),
    "in place": lambda x, y: x.clone().mul_(y).add_(0.5),
    "twice": lambda x, y: (x * y).sum() + x.sum(),
    "sum": lambda x, y: x.sum() * y.mean(0),
    "columns": lambda x, y: x.sum(0) + y.std(1, keepdim=True),
    "softmax": lambda x, y: x.softmax(1) + y.log_softmax(-1),
    "layer_norm": lambda x, y: F.layer_norm(x, (x.shape[1],), y[0], y[1]),
    "rms_norm": lambda x, y: F.rms_norm(x, (x.shape[1],), y[0]),
    "product": lambda x, y: x @ y.mT,
    "batches": lambda x, y: sg.stack([x, y, x]) @ sg.stack([y, x, x]).mT,
    "linear": lambda x, y: F.linear(x, y, y[:, 0]),
    "cross_entropy": lambda x, y: F.cross_entropy(x, sg.arange(x.shape[0])),
}


def answers() -> dict[str, list[str]]:
    """The bits of results and gradients of all programs, each run several times: found first, and then known."""
    found = {}
    for name, dtype in DTYPES.items():
        for shape in ((5, 7), (130, 200)):
            generator = sg.Generator().manual_seed(3)
            x, y = (sg.randn(*shape, generator=generator).to(dtype).requires_grad_() for _ in range(2))
            for label, program in PROGRAMS.items():
                for time in range(3):
                    x.grad = y.grad = None
                    result = program(x, y)
                    result.backward(sg.linspace(-1, 1, result.numel()).reshape(result.shape).to(dtype))
                    tensors = [t for t in (result.detach(), x.grad, y.grad) if t is not None]
                    found[f"{label} {name} {shape} {time}"] = [t.double().numpy().tobytes().hex() for t in tensors]
    return found


def test_python_alone_gives_the_same_bits() -> None:
    """Also where a plan for float32 was rewritten, and where a graph was recorded natively."""
    environment = {**os.environ, "SPECGRAD_NATIVE": "0", "PYTHONPATH": str(ROOT)}
    program = "import json; from tests.native.elementwise.test_float16 import answers; print(json.dumps(answers()))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    alone, here = json.loads(done.stdout), answers()
    assert [name for name in here if here[name] != alone[name]] == []


@pytest.mark.parametrize("half", DTYPES)
def test_calls_are_taken(half: str) -> None:
    """By native code: element-wise ops at once, others once they have a plan."""
    x = sg.linspace(-2, 2, 24).reshape(4, 6).to(DTYPES[half])
    ops = {name: importlib.import_module(f"specgrad.generated.ops.{name}") for name in ("softmax", "reduction")}
    assert x.softmax(1).shape == x.shape and x.sum().shape == ()
    assert kernels.ADD_TENSOR.launch(x, x, 1) is not None
    assert kernels.MUL_TENSOR.launch(x, 0.5) is not None
    assert ops["softmax"].SOFTMAX.launch(x, 1).dtype is DTYPES[half]
    assert ops["reduction"].SUM_DEFAULT.launch(x).dtype is DTYPES[half]


@pytest.mark.parametrize("size", [7, 100_000])
@pytest.mark.parametrize("half", DTYPES)
def test_results_are_rounded_once(half: str, size: int) -> None:
    """A product and its gradient are those of float32, rounded by NumPy."""
    a, b, g = (np.random.default_rng(k).standard_normal(size).astype(ROUNDED[half]) for k in range(3))
    x, y, grad = (sg.tensor(v.astype(np.float32)).to(DTYPES[half]) for v in (a, b, g))
    x.requires_grad_()
    result = x * y
    result.backward(grad)
    wide = [v.astype(np.float32) for v in (a, b, g)]
    np.testing.assert_array_equal(result.detach().float().numpy(), (wide[0] * wide[1]).astype(ROUNDED[half]))
    np.testing.assert_array_equal(x.grad.float().numpy(), (wide[2] * wide[1]).astype(ROUNDED[half]))


def test_a_plan_for_float32_is_none_for_16_bits() -> None:
    """Layouts alone would find it."""
    for dtype in (sg.float32, *DTYPES.values(), sg.float64):
        x = sg.ones(3, 5, dtype=dtype, requires_grad=True)
        F.layer_norm(x, (5,), sg.ones(5, dtype=dtype), sg.ones(5, dtype=dtype)).sum().backward()
        assert x.grad.dtype is dtype and x.softmax(-1).dtype is dtype
        np.testing.assert_allclose(x.softmax(-1).detach().double().numpy(), 0.2, rtol=4e-3)
