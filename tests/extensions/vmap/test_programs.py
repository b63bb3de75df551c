"""Random programs under vmap, grad, jvp and their compositions: what a loop over the examples gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.func import grad, jvp, vmap

F = sg.nn.functional
EXAMPLES, LARGEST = 3, 120
SHAPES = [(), (3,), (2, 3), (2, 1, 3), (1,), (4, 2)]


def positions(x: Any) -> Any:
    """Indices that depend on the values, so that they differ between the examples."""
    return (x.detach().reshape(-1) * 3).long().abs() % x.numel()


def changed(x: Any, change: Callable[[Any], Any]) -> Any:
    """A copy, changed in place."""
    y = x.clone()
    change(y)
    return y


# Functions of two tensors and two numbers; `d` is a dimension of x, and x has one.
STEPS: dict[str, Callable[[Any, Any, int, int], Any]] = {
    "sin": lambda x, y, d, k: x.sin(),
    "mix": lambda x, y, d, k: x * 0.5 + y.mean(),
    "square": lambda x, y, d, k: x**2 + y.sum(),
    "sum": lambda x, y, d, k: x.sum(d),
    "std": lambda x, y, d, k: x.std() if x.numel() > 2 else x,
    "norm": lambda x, y, d, k: (x + 0.1).norm(),
    "amax": lambda x, y, d, k: x.amax(d),
    "max": lambda x, y, d, k: x.max(d)[0],
    "prod": lambda x, y, d, k: x.prod(d),
    "softmax": lambda x, y, d, k: x.softmax(d),
    "logsumexp": lambda x, y, d, k: x.logsumexp(d),
    "cumsum": lambda x, y, d, k: x.cumsum(d),
    "where": lambda x, y, d, k: sg.where(x > 0, x, x * 0.1),
    "masked_fill": lambda x, y, d, k: x.masked_fill(x > 0.5, 0.25),
    "flat": lambda x, y, d, k: x.reshape(-1),
    "transpose": lambda x, y, d, k: x.transpose(d, k % x.dim()),
    "permute": lambda x, y, d, k: x.permute(*reversed(range(x.dim()))),
    "unsqueeze": lambda x, y, d, k: x.unsqueeze(d),
    "expand": lambda x, y, d, k: x.expand(2, *x.shape),
    "flip": lambda x, y, d, k: x.flip([d]),
    "roll": lambda x, y, d, k: x.roll(k, d),
    "select": lambda x, y, d, k: x.select(d, k % x.shape[d]),
    "chunk": lambda x, y, d, k: x.chunk(2, d)[0],
    "unbind": lambda x, y, d, k: x.unbind(d)[-1],
    "stack": lambda x, y, d, k: sg.stack([x, x * 2], d),
    "cat": lambda x, y, d, k: sg.cat([x, x.sin()], d),
    "outer": lambda x, y, d, k: x.reshape(-1).outer(y.reshape(-1)[:3]),
    "matmul": lambda x, y, d, k: x.unsqueeze(-1) @ x.unsqueeze(-2),
    "linear": lambda x, y, d, k: F.linear(x, y.reshape(-1)[:1].expand(2, x.shape[-1])),
    "addmm": lambda x, y, d, k: sg.addmm(y.reshape(-1)[:1], x.reshape(-1, 1)[:6], x.reshape(1, -1)[:, :6]),
    "layer_norm": lambda x, y, d, k: F.layer_norm(x, x.shape[-1:]) if x.shape[-1] > 1 else x,
    "conv1d": lambda x, y, d, k: F.conv1d(x.reshape(1, 1, -1)[..., :9], y.reshape(-1)[:1].expand(2, 1, 2), padding=1),
    "pool": lambda x, y, d, k: F.max_pool1d(x.reshape(1, -1), 2) if x.numel() > 1 else x,
    "index": lambda x, y, d, k: x.reshape(-1)[positions(x)],
    "index_put": lambda x, y, d, k: x.reshape(-1).index_put(
        (positions(x)[:2],), x.reshape(-1)[:2] * 2, accumulate=True
    ),
    "scatter_add": lambda x, y, d, k: x.reshape(-1).scatter_add(0, positions(x), x.reshape(-1).cos()),
    "mul_": lambda x, y, d, k: changed(x, lambda z: z.mul_(x)),
    "row": lambda x, y, d, k: changed(x, lambda z: z.__setitem__(k % z.shape[0], 1.5)),
    "element": lambda x, y, d, k: changed(x.reshape(-1), lambda z: z.__setitem__(positions(x)[0], 0.7)),
    "mask": lambda x, y, d, k: changed(x, lambda z: z.__setitem__(z > 0.3, 0.1)),
    # In rows: whether `reshape` gives a view depends on how an example lies among the others.
    "strided view": lambda x, y, d, k: changed((x * 1).contiguous(), lambda z: z.view(-1)[::2].mul_(0.5)),
    "copied row": lambda x, y, d, k: changed(x, lambda z: z.select(0, 0).copy_(x.select(0, k % x.shape[0]).sin())),
    "into zeros": lambda x, y, d, k: changed(sg.zeros(x.shape).double() + x * 0, lambda z: z[0].add_(x[0])),
}


def program(seed: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    """A function of x and w: the last of several values, each computed from earlier ones, and their sum."""
    rng = random.Random(seed)
    picks = [
        (rng.choice(list(STEPS)), rng.random(), rng.random(), rng.randrange(5)) for _ in range(rng.randrange(3, 10))
    ]

    def run(x: Any, w: Any) -> tuple[Any, Any]:
        values = [x, w]
        for name, first, second, k in picks:
            a, b = values[int(first * len(values))], values[int(second * len(values))]
            a = a if a.dim() else a.reshape(1)
            values.append(STEPS[name](a if a.numel() <= LARGEST else a.sin().mean().reshape(1), b, k % a.dim(), k))
        return values[-1], sum((0.3 * value).sum() for value in values[2:])

    return run


def derivatives(run: Callable[..., Any]) -> dict[str, Callable[[Any, Any, Any], Any]]:
    """What is compared: functions of x, w and a direction."""
    total = lambda x, w: run(x, w)[1]  # noqa: E731
    return {
        "values": lambda x, w, v: run(x, w),
        "gradients": lambda x, w, v: grad(total, argnums=(0, 1))(x, w),
        "tangents": lambda x, w, v: jvp(lambda x: run(x, w), (x,), (v,))[1],
        "forward over reverse": lambda x, w, v: (jvp(grad(lambda x: total(x, w)), (x,), (v,))[1],),
        "inside another vmap": lambda x, w, v: vmap(lambda w: run(x, w))(sg.stack([w, w * 0.5])),
    }


def looped(function: Callable[..., Any], stacks: Sequence[np.ndarray], dims: Sequence[int | None]) -> list[np.ndarray]:
    """The outputs for each example, stacked."""
    found = []
    for i in range(EXAMPLES):
        example = [sg.tensor(s if d is None else np.take(s, i, d)) for s, d in zip(stacks, dims, strict=True)]
        found.append([t.detach().numpy() for t in function(*example)])
    return [np.stack(outputs) for outputs in zip(*found, strict=True)]


@pytest.mark.parametrize("seed", range(30))
def test_a_program_under_vmap(seed: int) -> None:
    """x in batches along any dimension, or shared and the direction alone in batches."""
    rng = random.Random(seed + 1000)
    shape, other = rng.choice(SHAPES), rng.choice(SHAPES)
    numbers = np.random.default_rng(seed)
    dim = rng.randrange(len(shape) + 1)
    x = np.moveaxis(numbers.standard_normal((EXAMPLES, *shape)) * 0.7, 0, dim).copy()
    stacks = [x, numbers.standard_normal(other) * 0.7, numbers.standard_normal((EXAMPLES, *shape))]
    for name, function in derivatives(program(seed)).items():
        for first in (dim, None):
            given = [x if first == dim else np.take(x, 0, dim), *stacks[1:]]
            dims = (first, None, 0)
            expected = looped(function, given, dims)
            found = vmap(function, in_dims=dims)(*map(sg.tensor, given))
            for a, b in zip(found, expected, strict=True):
                assert tuple(a.shape) == b.shape, name
                np.testing.assert_allclose(a.detach().numpy(), b, rtol=1e-7, atol=1e-9, err_msg=name)
