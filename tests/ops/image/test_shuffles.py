"""Channels as places of pixels, and groups of channels spread over all: any layouts and dtypes, and gradients.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
import specgrad.nn.functional as F
from tests.ops.image.references import IMAGES

rng = np.random.default_rng(0)
DTYPES = [sg.float32, sg.float64, sg.bfloat16, sg.complex64, sg.int64, sg.int32, sg.uint8, sg.bool]
SHAPES = {
    "pixel_shuffle": [(2, 8, 2, 3), (4, 3, 1), (2, 3, 4, 1, 5), (1, 8, 90, 100), (2, 0, 3, 3), (2, 4, 0, 3)],
    "pixel_unshuffle": [(2, 3, 4, 6), (1, 2, 4), (2, 3, 1, 2, 8), (1, 2, 180, 200), (2, 1, 0, 4)],
    "channel_shuffle": [(2, 6, 4, 3), (1, 2, 1), (2, 8, 5), (2, 6, 70, 90), (2, 0, 3), (0, 2, 3)],
}
CASES = [(name, shape) for name in SHAPES for shape in SHAPES[name]]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.mT.contiguous().mT,
    "channels last": lambda x: x.movedim(-3, -1).contiguous().movedim(-1, -3),
    "steps": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "one number": lambda x: x.reshape(-1)[:1].reshape((1,) * x.ndim).expand(x.shape) if x.numel() else x,
}


def as_numpy(x: Any) -> Any:
    return x.to(sg.complex128 if x.dtype.is_complex else sg.float64).numpy()


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize(("name", "shape"), CASES)
def test_values(name: str, shape: tuple[int, ...], how: str) -> None:
    for dtype in DTYPES if np.prod(shape) < 1000 else DTYPES[:1]:
        x = VIEWS[how](sg.tensor(rng.integers(0, 9, shape)).to(dtype))
        requested = IMAGES[name](as_numpy(x), 2)
        for _ in range(2):
            found = getattr(F, name)(x, 2)
            keeps = how == "channels last" and x.ndim == 4 and found.is_contiguous(memory_format=sg.channels_last)
            assert found.dtype is dtype and (keeps or found.is_contiguous())
            np.testing.assert_array_equal(as_numpy(found), requested)


@pytest.mark.parametrize(("name", "shape"), CASES)
def test_gradients(name: str, shape: tuple[int, ...]) -> None:
    """Each gradient goes where its element came from, which the op says of the places of the elements."""
    for own in (sg.float64, sg.bfloat16):
        x = sg.tensor(rng.integers(0, 9, shape)).to(own).requires_grad_()
        positions = IMAGES[name](np.arange(x.numel()).reshape(shape), 2)
        grad = rng.integers(1, 9, positions.shape).astype(np.float64)
        requested = np.zeros(x.numel())
        requested[positions] = grad
        for _ in range(2):
            x.grad = None
            getattr(F, name)(x, 2).backward(sg.tensor(grad).to(own))
            np.testing.assert_array_equal(as_numpy(x.grad), requested.reshape(shape))
            assert x.grad.dtype is own


@pytest.mark.parametrize("name", SHAPES)
def test_the_other_way_round(name: str) -> None:
    """Gradients of gradients, examples of a batch, tangents: all are copies of the same kind."""
    op, (shape, *_) = getattr(F, name), SHAPES[name]
    x = sg.tensor(rng.standard_normal((3, *shape)))
    found = sg.vmap(lambda one: op(one, 2), in_dims=0)(x)
    np.testing.assert_array_equal(found.numpy(), np.stack([IMAGES[name](one, 2) for one in x.numpy()]))
    one = x[0].requires_grad_()
    assert sg.autograd.gradcheck(lambda y: op(y, 2) ** 2, one) and sg.autograd.gradgradcheck(
        lambda y: op(y, 2) ** 2, one
    )
    _, tangent = sg.func.jvp(lambda y: op(y, 2), (x[0],), (x[1],))
    np.testing.assert_array_equal(tangent.numpy(), IMAGES[name](x[1].numpy(), 2))


def test_windows_of_no_samples() -> None:
    for _ in range(2):
        assert F.unfold(sg.zeros(0, 1, 5, 5), 2).shape == (0, 4, 16)
