"""The gradient of the sum of many elements is one number that stands for all of them, and nobody can tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

F = sg.nn.functional
SHAPE = (521, 613)  # primes, which no block divides; and so many elements that one number stands for all
DTYPES = (sg.float32, sg.float64, sg.bfloat16, sg.float16)
PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda x, y: x,
    "mul": lambda x, y: x * y,
    "mul by a number": lambda x, y: x * 3.0,
    "add": lambda x, y: x + y,
    "same twice": lambda x, y: x + x,
    "exp": lambda x, y: x.exp(),
    "gelu": lambda x, y: F.gelu(x),
    "where": lambda x, y: sg.where(x > 0, x, y),
    "row added": lambda x, y: x + y[0],
    "row multiplied": lambda x, y: x * y[0],
    "column multiplied": lambda x, y: x * y[:, :1],
    "transposed": lambda x, y: x.t().exp(),
    "transposed and not": lambda x, y: x.t().exp() + y.t(),
    "every second": lambda x, y: (x * y)[::2, ::3],
    "part": lambda x, y: x[3:, 1:-1] * 2.0,
    "softmax": lambda x, y: x.softmax(1) * y,
    "softmax alone": lambda x, y: x.softmax(0),
    "layer_norm": lambda x, y: F.layer_norm(x, SHAPE[-1:]),
    "matmul": lambda x, y: x @ y.t(),
    "flip": lambda x, y: x.flip(0),
    "pad": lambda x, y: F.pad(x, (1, 2)),
    "cat": lambda x, y: sg.cat([x, y * x], 1),
    "tril": lambda x, y: x.tril(),
    "cumsum": lambda x, y: x.cumsum(1),
    "sorted": lambda x, y: x.sort(1)[0],
    "largest": lambda x, y: F.max_pool2d(x[None], 2, stride=1),
    "columns chosen": lambda x, y: x.index_select(1, sg.arange(SHAPE[1]) // 2),
    "rows chosen": lambda x, y: x[sg.arange(2 * SHAPE[0]) // 3],
    "reshaped": lambda x, y: x.reshape(-1).tanh(),
    "rows summed": lambda x, y: x * y.sum(1, keepdim=True),
}


def gradients(program: Callable[[Any, Any], Any], dtype: Any, one: bool, scale: float = 1.0) -> list[Any]:
    """Those of two inputs: for the sum of all results, or for a gradient that is written down for each of them."""
    rng = np.random.default_rng(0)
    x, y = (sg.tensor(rng.normal(size=SHAPE)).to(dtype).requires_grad_() for _ in range(2))
    result = program(x, y)
    if one:
        (result.sum() if scale == 1 else result.mean()).backward()
    else:
        result.backward(sg.full(result.shape, scale, dtype=dtype))
    return [x.grad, y.grad]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("threads", [1, 2])
def test_gradients_are_those_of_one_for_each(name: str, threads: int) -> None:
    before = sg.get_num_threads()
    sg.set_num_threads(threads)
    try:
        for dtype in DTYPES if threads == 1 else DTYPES[:1]:
            if name == "matmul" and dtype in DTYPES[2:]:
                continue  # of 16-bit floats products of ones are added in another order than those of numbers
            found, expected = (gradients(PROGRAMS[name], dtype, one) for one in (True, False))
            for own, other in zip(found, expected, strict=True):
                assert (own is None) == (other is None)
                if own is not None:
                    assert own.is_contiguous() and own.shape == SHAPE
                    assert sg.equal(own, other), (name, dtype)
    finally:
        sg.set_num_threads(before)


def test_mean_divides_once() -> None:
    x = sg.randn(*SHAPE, requires_grad=True)
    x.exp().mean().backward()
    count = SHAPE[0] * SHAPE[1]
    expected = np.exp(x.detach().numpy().astype(np.float64)) / count
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=3e-7)


def test_leaves_own_their_gradients() -> None:
    x, y = (sg.randn(*SHAPE, requires_grad=True) for _ in range(2))
    (x + y).sum().backward()
    x.grad[0, 0] = 7.0
    assert x.grad[0, 1] == y.grad[0, 0] == 1.0
    (x + y).sum().backward()  # added to what is there
    assert x.grad[0, 0] == 8.0 and x.grad[5, 5] == y.grad[0, 0] == 2.0


def test_hooks_see_the_gradient_and_may_replace_it() -> None:
    x = sg.randn(*SHAPE, requires_grad=True)
    y, seen = x * 2.0, []
    y.register_hook(lambda grad: seen.append((tuple(grad.shape), float(grad[3, 4]))) or grad * 3.0)
    y.retain_grad()
    y.sum().backward()
    assert seen == [(SHAPE, 1.0)]
    assert sg.equal(y.grad, sg.full(SHAPE, 3.0)) and sg.equal(x.grad, sg.full(SHAPE, 6.0))


def test_derivatives_of_second_order() -> None:
    x = sg.randn(*SHAPE, dtype=sg.float64, requires_grad=True)
    (first,) = sg.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = sg.autograd.grad(first.sum(), x)
    np.testing.assert_allclose(second.numpy(), 6 * x.detach().numpy(), rtol=1e-14)


def test_gradients_of_no_elements_and_of_huge_expanded_tensors() -> None:
    x = sg.randn(0, 5, requires_grad=True)
    (x * 2.0).sum().backward()
    assert x.grad.shape == (0, 5)
    y = sg.ones(1, requires_grad=True)
    y.expand(1 << 20).sum().backward()
    assert y.grad.tolist() == [float(1 << 20)]


def test_no_elements_of_no_memory() -> None:
    x, nothing = sg.randn(0, requires_grad=True), sg.empty(0).as_strided((0,), (0,))
    (x * 2.0).exp().backward(nothing)
    assert x.grad.shape == (0,)
    assert sg.add(nothing, nothing).shape == (0,)
