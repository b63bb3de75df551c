"""Transforms along any dimensions, of lengths that are given, of numbers that lie anyhow: first and later calls."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.fft

import specgrad as sg

SHAPES = [(5, 6, 7), (4, 11, 13), (3, 8, 16), (2, 1, 9), (40, 3, 70)]
LIMITS = {"float32": 1e-6, "float64": 2e-15}
WIDE = {"float32": np.float64, "float64": np.longdouble}
ONE = product((-1, 0, 1), (None, 4, 7, 10, 26))
MULTI_VIEW = [
    (None, (0, -1)),
    (None, (-3, -2, -1)),
    (None, (2, 0)),
    ((6, 8), (0, 1)),
    ((3, 10), (1, 2)),
    ((4, 5), (-1, 0)),
    ((7, 1, 11), (1, 2, 0)),
]
CALLS: list[tuple[tuple[str, ...], Any, Any]] = [
    (("fft", "ifft", "irfft", "hfft", "rfft", "ihfft"), n, dim) for dim, n in ONE
]
CALLS += [(("fftn", "ifftn", "irfftn", "hfftn", "rfftn", "ihfftn"), s, dim) for s, dim in MULTI_VIEW]


def numbers(shape: tuple[int, ...], name: str, is_complex: bool) -> Any:
    """Numbers of a dtype, or complex numbers of twice as many bits."""
    random = np.random.default_rng(len(shape))
    real, imaginary = (random.standard_normal(shape).astype(name) for _ in range(2))
    return real + 1j * imaginary if is_complex else real


def general(call: Callable[[], Any]) -> Any:
    """The result without native code."""
    with sg.profiler.profile():  # which looks at every op
        return call()


def is_defined(transform: str, x: Any, sizes: Any, dim: Any) -> bool:
    """Whether a transform takes such numbers: half spectra are of real ones, and have a frequency above 0."""
    if transform.startswith(("rfft", "ihfft")):
        return x.dtype.kind == "f"
    last = dim if isinstance(dim, int) else dim[-1]
    return sizes is not None or not transform.startswith(("irfft", "hfft")) or x.shape[last] > 1


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_dims_lengths_and_scales(shape: tuple[int, ...], transposed: bool, is_complex: bool, name: str) -> None:
    """They are SciPy's in the next wider dtype, with the same bits by native code and without it."""
    x = numbers(shape, name, is_complex)
    x = x.T if transposed else x
    wide = x.astype(np.result_type(WIDE[name], x.dtype.kind == "c" and np.complex64))
    t = sg.tensor(np.ascontiguousarray(x.T)).permute(2, 1, 0) if transposed else sg.tensor(x)
    for (transforms, sizes, dim), norm in product(CALLS, (None, "ortho")):
        for transform in (each for each in transforms if is_defined(each, x, sizes, dim)):
            call = partial(getattr(sg.fft, transform), t, sizes, dim, norm)
            found = [call(), call(), general(call)]
            expected = getattr(scipy.fft, transform)(wide, sizes, dim, norm)
            assert found[0].shape == expected.shape
            assert np.abs(found[0].numpy() - expected).max() <= LIMITS[name] * np.abs(expected).max()
            assert {each.numpy().tobytes() for each in found} == {found[0].numpy().tobytes()}


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("transform", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n", [None, 5, 9, 10])
@pytest.mark.parametrize("dim", [0, 1])
def test_gradients_are_the_adjoint(dim: int, n: int | None, transform: str, is_complex: bool) -> None:
    """Re <f(x), g> is linear in x with the gradient of x, also when native code has recorded the call."""
    x = numbers((7, 6), "float64", is_complex)
    if not is_defined(transform, x, n, dim):
        return
    for _ in range(2):
        t = sg.tensor(x, requires_grad=True)
        y = getattr(sg.fft, transform)(t, n, dim, "ortho")
        g = numbers(tuple(y.shape), "float64", y.is_complex())
        y.backward(sg.tensor(g))
        gradient = t.grad.numpy()
        other = numbers((7, 6), "float64", is_complex)[::-1].copy()
        image = getattr(scipy.fft, transform)(other, n, dim, "ortho")
        assert gradient.shape == x.shape
        assert np.isclose(np.vdot(g, image).real, np.vdot(gradient, other).real)


@pytest.mark.parametrize("transform", [sg.fft.fft, sg.fft.ifft, sg.fft.irfft, sg.fft.hfft])
def test_what_is_no_number(transform: Callable[..., Any]) -> None:
    """It spreads over its own row, and no further."""
    x = np.ones((3, 7), np.complex64)
    x[1, 3] = np.nan
    for _ in range(2):
        found = transform(sg.tensor(x)).numpy()
        assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()


@pytest.mark.parametrize("rows", [3, 700])
@pytest.mark.parametrize("n", [143, 945, 1100])
def test_rows_are_each_for_themselves(n: int, rows: int) -> None:
    """Whatever other rows there are, and however many threads."""
    x = sg.tensor(numbers((rows, n), "float32", False))
    for transform in (sg.fft.rfft, sg.fft.fft, sg.fft.ihfft):
        full, first = transform(x).numpy(), transform(x[:1].clone()).numpy()
        assert np.array_equal(full[:1], first)


def test_sixteen_bits() -> None:
    """Halves of real numbers of 16 bits are computed in float32."""
    x = numbers((3, 5), "float32", False)
    for dtype in (sg.float16, sg.bfloat16):
        t = sg.tensor(x).to(dtype)
        for _ in range(2):
            assert sg.fft.irfft(t).equal(sg.fft.irfft(t.float()).to(dtype))
