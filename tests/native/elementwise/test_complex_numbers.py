"""Element-wise ops on complex tensors, and complex numbers put together, by native code: the general path's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated import kernels

ALONE: dict[str, Callable[[Any], Any]] = {
    name: getattr(sg, name)
    for name in ("exp", "log", "sqrt", "sin", "tanh", "neg", "reciprocal", "square", "sgn", "abs", "angle", "isnan")
}
BATCH: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "add of parts": lambda x, y: sg.add(x, y, alpha=3),
    "sub of parts": lambda x, y: sg.sub(x, y, alpha=-0.5),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "eq": lambda x, y: x == y,
    "number": lambda x, y: x * 2.5,
    "negative zero": lambda x, y: x * -0.0,
    "int": lambda x, y: x + 3,
    "quotient": lambda x, y: x / 7,
    "imaginary": lambda x, y: x * 2j,
    "huge": lambda x, y: x * 1e30,
    "from a number": lambda x, y: 2 - x,
}
SHAPES = [(), (0,), (1,), (7,), (3, 5), (2, 0, 3), (70, 1000)]
DTYPES = ["complex64", "complex128"]


def numbers(shape: tuple[int, ...], name: str, seed: int = 0) -> Any:
    """Complex numbers, some of them special."""
    random = np.random.default_rng(seed)
    found = (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(name)
    special = np.array([0, complex(0, -1), complex(np.inf, 1), complex(np.nan, 0), complex(-1, -0.0)], name)
    flat = np.asarray(found).reshape(-1)
    count = min(len(special), max(0, len(flat) - 2))
    flat[:count] = special[:count]
    return flat.reshape(shape)


def general(call: Callable[..., Any], *tensors: Any) -> Any:
    """The result without native code."""
    with sg.profiler.profile():  # which looks at every op
        return call(*tensors)


def assert_alike(found: Any, expected: Any) -> None:
    assert found.dtype is expected.dtype and found.shape == expected.shape
    assert found.requires_grad == expected.requires_grad
    assert found.detach().numpy().tobytes() == expected.detach().numpy().tobytes()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("case", [*ALONE, *BATCH])
def test_results_are_those_of_the_general_path(case: str, shape: tuple[int, ...], name: str) -> None:
    x, y = sg.tensor(numbers(shape, name)), sg.tensor(numbers(shape, name, 1))
    call, given = (ALONE[case], (x,)) if case in ALONE else (BATCH[case], (x, y))
    expected = general(call, *given)
    for _ in range(2):
        assert_alike(call(*given), expected)


@pytest.mark.parametrize("case", ["exp", "sgn", "abs", "mul", "div", "add of parts", "number", "imaginary", "int"])
def test_gradients_are_those_of_the_general_path(case: str) -> None:
    """They are recorded, with numbers among their operands; the adjoint identity holds along any direction."""
    x, y = numbers((4, 3), "complex128", 2)[2:] + 2, numbers((4, 3), "complex128", 3)[2:] + 2
    call = ALONE.get(case) or BATCH[case]
    found = []
    for native in (True, True, False):
        given = [sg.tensor(each, requires_grad=True) for each in ([x] if case in ALONE else [x, y])]
        result = call(*given) if native else general(call, *given)
        (result * result.conj()).real.sum().backward()
        found.append([None if t.grad is None else t.grad.numpy().tobytes() for t in given])
    assert found[0] == found[1] == found[2]


def test_native_code_answers() -> None:
    """Calls on contiguous complex tensors do not come to the general path."""
    x, y = sg.tensor(numbers((3, 5), "complex64")), sg.tensor(numbers((3, 5), "complex64", 1))
    for answer in (kernels.MUL_TENSOR.launch(x, y), kernels.MUL_TENSOR.launch(x, 2.0), kernels.EXP.launch(x)):
        assert answer is not None and answer.dtype is sg.complex64
    assert kernels.ABS.launch(x).dtype is sg.float32
    assert kernels.MUL_TENSOR.launch(x, y.to(sg.complex128)) is None
    assert kernels.MUL_TENSOR.launch(x.t(), y.t()) is None
    assert kernels.MUL_TENSOR.launch(x, y[0]) is None


def test_what_lies_otherwise() -> None:
    """Views, other shapes and other dtypes are for the general path, which native code gives way to."""
    x, y = numbers((3, 5), "complex64"), numbers((3, 5), "complex64", 1)
    a, b = sg.tensor(x), sg.tensor(y)
    for _ in range(2):
        np.testing.assert_allclose((a.t() * b.t()).numpy(), x.T * y.T, 1e-6)
        np.testing.assert_allclose((a * b[0]).numpy(), x * y[0], 1e-6)
        np.testing.assert_array_equal((a[1:] + b[1:]).numpy(), x[1:] + y[1:])
        assert (a * b.to(sg.complex128)).dtype is sg.complex128
        assert (a * b.real).dtype is sg.complex64


PARTS = [((), ()), ((3,), ()), ((), (4,)), ((2, 3), (2, 3)), ((1, 1), (3,)), ((3, 1), (1, 4)), ((0, 3), (3,))]
PARTS += [((2, 3), (1, 1, 1)), ((1, 1, 1), (2, 3)), ((9000,), (9000,))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shapes", PARTS)
def test_complex_numbers_of_parts(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any) -> None:
    """First and later calls, also recorded."""
    random = np.random.default_rng(0)
    a, b = (np.asarray(random.standard_normal(shape), dtype) for shape in shapes)
    expected = np.empty(np.broadcast_shapes(*shapes), np.result_type(dtype, np.complex64))
    expected.real, expected.imag = a, b
    for _ in range(3):
        x, y = sg.tensor(a, requires_grad=True), sg.tensor(b, requires_grad=True)
        found = sg.complex(x, y)
        assert found.dtype is (sg.complex64 if dtype is np.float32 else sg.complex128)
        assert found.shape == expected.shape and np.array_equal(found.detach().numpy(), expected)
        sg.view_as_real(found).sum().backward()
        assert np.all(x.grad.numpy() == max(1, expected.size) / max(1, a.size)) or not expected.size


def test_parts_that_lie_apart() -> None:
    a, b = np.random.default_rng(0).standard_normal((2, 4, 5))
    for _ in range(3):
        found = sg.complex(sg.tensor(a).t(), sg.tensor(b.T.copy()))
        assert np.array_equal(found.numpy(), a.T + 1j * b.T)


def test_angles_of_real_numbers() -> None:
    """They are recorded by native code too, with a gradient of 0."""
    x = np.array([2.0, -3.0, 0.0, -0.0, np.nan, -np.inf])
    for _ in range(2):
        t = sg.tensor(x, requires_grad=True)
        found = sg.angle(t)
        np.testing.assert_array_equal(found.detach().numpy(), [0, np.pi, 0, 0, np.nan, np.pi])
        found.sum().backward()
        assert t.grad.tolist() == [0] * 6


@pytest.mark.parametrize("name", DTYPES)
def test_views_of_parts(name: str) -> None:
    """Pairs as complex numbers and these as pairs: one memory, one base, gradients, also of later calls."""
    x = numbers((4, 3), name, 4)
    x[~np.isfinite(x)] = 1
    for _ in range(3):
        z = sg.tensor(x)
        parts = sg.view_as_real(z)
        again = sg.view_as_complex(parts)
        assert parts.dtype is z.dtype.to_real() and again.dtype is z.dtype
        assert all(each._base is z for each in (parts, again))
        np.testing.assert_array_equal(sg.view_as_real(z.t()).numpy()[..., 1], x.imag.T)
        np.testing.assert_array_equal(sg.view_as_complex(parts[1:]).numpy(), x[1:])
        parts.mul_(2)
        np.testing.assert_array_equal(z.numpy(), 2 * x)
        np.testing.assert_array_equal(again.numpy(), 2 * x)
        leaf = sg.tensor(x, requires_grad=True)
        (sg.view_as_real(leaf) ** 2).sum().backward()
        np.testing.assert_allclose(leaf.grad.numpy(), 2 * x)
        reals = sg.view_as_real(sg.tensor(x)).clone().requires_grad_()
        pairs = sg.view_as_complex(reals)
        (pairs * pairs.conj()).real.sum().backward()
        np.testing.assert_allclose(reals.grad.numpy(), 2 * reals.detach().numpy())


def test_views_of_parts_that_are_written_to() -> None:
    """A write to a recorded view goes back to its base."""
    x = numbers((5,), "complex128", 5)[3:] + 2
    for _ in range(3):
        leaf = sg.tensor(x, requires_grad=True)
        base = leaf * 1
        sg.view_as_real(base).mul_(3)
        base.abs().sum().backward()
        np.testing.assert_allclose(leaf.grad.numpy(), 3 * x / np.abs(x))


def test_pairs_that_are_none() -> None:
    for _ in range(2):
        with pytest.raises(RuntimeError, match="size 2"):
            sg.view_as_complex(sg.ones(3, 3))
        with pytest.raises(RuntimeError, match="complex"):
            sg.view_as_real(sg.ones(3, 2))
