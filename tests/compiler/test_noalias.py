"""Element-wise kernels whose result is one of their operands, as in every in-place op."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.kernels.cpu.activation import sigmoid_forward
from specgrad.runtime.compiler.passes.pipelines import NoAlias
from specgrad.runtime.compiler.passes.scalar_library import cpu_library, rebuilt

SIZES = (0, 1, 7, 64, 1003)  # less than a vector, whole vectors, and vectors with a rest
Op = Callable[..., Any]
UNARY: dict[str, Callable[[Any], Any]] = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "exp": np.exp,
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "square": np.square,
    "neg": np.negative,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "sub": np.subtract,
    "div": np.divide,
}


def sampled(size: int, dtype: Any) -> Any:
    return sg.tensor(np.random.default_rng(size).uniform(0.5, 2, size), dtype=dtype)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, dtype: Any) -> None:
    """In place, an op gives what it gives elsewhere, to the last bit, and that is NumPy's value."""
    for size in SIZES:
        x = sampled(size, dtype) - 1
        elsewhere = getattr(x, name)()
        requested = UNARY[name](x.numpy().astype(np.float64))
        assert getattr(x, f"{name}_")() is x
        assert sg.equal(x, elsewhere)
        np.testing.assert_allclose(x.numpy(), requested, rtol=1e-6 if dtype is sg.float32 else 1e-14)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64])
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, dtype: Any) -> None:
    """With another operand, with itself, with a number, and with overlapping places of the same memory."""
    for size in SIZES:
        x, y = sampled(size, dtype), sampled(size, dtype).flip(0)
        for other in (y, x, 1.5):
            changed = x.clone()
            second = changed if other is x else other
            elsewhere = getattr(x, name)(other)
            assert sg.equal(getattr(changed, f"{name}_")(second), elsewhere)
        reversed_ = x.clone()
        getattr(reversed_, f"{name}_")(reversed_.clone().flip(0))
        assert sg.equal(reversed_, getattr(x, name)(x.flip(0)))


@pytest.mark.parametrize("layout", ["transposed", "sliced", "expanded row", "column"])
def test_layouts(layout: str) -> None:
    """Results and operands that are not contiguous, or are broadcast, where the second lies apart."""
    for name in ("mul", "add"):
        full = sampled(12 * 40, sg.float64).reshape(12, 40)
        x = {"transposed": full.clone().t(), "sliced": full.clone()[1:, 3::2]}.get(layout, full.clone())
        other = {"expanded row": full[3], "column": full[:, 5:6]}.get(
            layout, sampled(x.numel(), sg.float64).reshape(x.shape)
        )
        requested = getattr(np, {"mul": "multiply", "add": "add"}[name])(x.numpy().copy(), other.numpy())
        getattr(x, f"{name}_")(other)
        np.testing.assert_array_equal(x.numpy(), requested)


def test_three_operands() -> None:
    """lerp_ and addcmul_, where the first operand is also one of the others."""
    for size in SIZES:
        x, y = sampled(size, sg.float64), sampled(size, sg.float64).flip(0)
        assert sg.equal(x.clone().lerp_(y, 0.25), x.lerp(y, 0.25))
        assert sg.equal(x.clone().addcmul_(x, y, value=2), x.addcmul(x, y, value=2))
        z = x.clone()
        assert sg.equal(z.addcmul_(z, z), x.addcmul(x, x))


def llvm_of(options: dict[str, Any]) -> str:
    from numba import njit

    function = rebuilt(sigmoid_forward, cpu_library(False).used_by(sigmoid_forward))
    kernel = njit(error_model="numpy", **options)(function)
    x = np.ones(8, np.float32)
    kernel(x, x)
    return str(kernel.inspect_llvm(kernel.signatures[0]))


def test_no_look_at_addresses() -> None:
    """A kernel has one loop, of vectors, and does not compare where its arrays lie, as it would if it were not told."""
    comparison = re.compile(r"diff\.check|memcheck|found\.conflict")  # LLVM's names for it
    assert comparison.search(llvm_of({}))
    code = llvm_of({"pipeline_class": NoAlias})
    assert "vector.body" in code and not comparison.search(code)
