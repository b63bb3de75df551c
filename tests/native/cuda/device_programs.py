"""Programs on a device, most of whose launches are native from the second time on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import specgrad as sg

F = sg.nn.functional
Program = Callable[[], list[Any]]


def numbers(*shape: int, dtype: Any = sg.float64, requires_grad: bool = False) -> Any:
    """The same numbers each time, on the device."""
    count = int(np.prod(shape))
    values = np.cos(np.arange(1, count + 1)).reshape(shape)
    return sg.tensor(values, dtype=dtype).cuda().requires_grad_(requires_grad)


def arithmetic(dtype: Any = sg.float64) -> list[Any]:
    x, y = numbers(3, 5, dtype=dtype, requires_grad=True), numbers(3, 5, dtype=dtype) + 2
    result = ((x * y + x / y) - 0.5 * y).tanh() ** 2
    result.backward(sg.ones_like(result))
    return [result, x.grad]


def numbers_of_all_kinds() -> list[Any]:
    x = numbers(7, requires_grad=True)
    result = sg.add(x, 3, alpha=2) * 2 + x.clamp(-0.5, 0.75) - x * -0.25
    result.backward(sg.ones_like(result))
    return [result, x.grad, x * 2**40, x / 3]


def rows_and_columns() -> list[Any]:
    x, row, column = numbers(4, 6, requires_grad=True), numbers(6, requires_grad=True), numbers(4, 1)
    result = (x - row) * column
    result.backward(sg.ones_like(result))
    return [result, x.grad, row.grad]


def masks() -> list[Any]:
    x, y = numbers(4, 6, requires_grad=True), numbers(4, 6)
    result = sg.where(x > y.flip(0), x, 2 * y)
    result.backward(sg.ones_like(result))
    return [result, x.grad, x > 0, x >= y]


def views() -> list[Any]:
    x = numbers(5, 6, requires_grad=True)
    result = x.t()[1:4, ::2].exp() + x[:3, :3] * x[2:, 3:]
    result.backward(sg.ones_like(result))
    return [result, x.grad]


def in_place() -> list[Any]:
    x, y, part = numbers(4, 6), numbers(4, 6), numbers(6, 4)
    x.mul_(y).add_(1.5).sub_(x, alpha=0.5).tanh_()
    part.t()[1:3].mul_(3).add_(y[:2])
    return [x, part]


def normalised(dtype: Any = sg.float64) -> list[Any]:
    x, weight, bias = (numbers(*shape, dtype=dtype, requires_grad=True) for shape in ((4, 6), (6,), (6,)))
    result = F.layer_norm(x, (6,), weight, bias).softmax(-1) + F.log_softmax(x, 0)
    result.backward(numbers(4, 6, dtype=dtype))
    return [result, x.grad, weight.grad, bias.grad]


def folded(dtype: Any = sg.float64) -> list[Any]:
    x = numbers(3, 4, 5, dtype=dtype, requires_grad=True)
    result = x.sum(1).mean() + x.var((0, 2)).sum() + x.logsumexp(2).norm() + x.mean((0, 1), keepdim=True).sum()
    result.backward()
    return [result, x.grad, x.sum(), x[0].t().sum(0)]


def concatenated() -> list[Any]:
    x, y = numbers(3, 4, requires_grad=True), numbers(2, 4)
    result = sg.cat([x, y]).roll(1, 0).cumsum(0).flip(1) * 2
    result.backward(numbers(5, 4))
    return [result, x.grad, x.max(1).values, x.argmax(0)]


def multiplied(dtype: Any = sg.float64) -> list[Any]:
    shapes = (2, 3, 4), (2, 4, 5), (5, 4), (5,)
    x, y, weight, bias = (numbers(*shape, dtype=dtype, requires_grad=True) for shape in shapes)
    z = numbers(3, 5, dtype=dtype)
    result = x @ y + F.linear(x, weight, bias) + sg.addmm(z, x[0], y[1], beta=0.5, alpha=2)
    result.backward(numbers(2, 3, 5, dtype=dtype))
    return [result, x.grad, y.grad, weight.grad, bias.grad, x[0, 0] @ y[1], x[0].mv(y[0, :, 1])]


def convolved() -> list[Any]:
    x, weight, bias = (numbers(*shape, requires_grad=True) for shape in ((2, 3, 6, 5), (4, 3, 3, 2), (4,)))
    result = F.max_pool2d(F.conv2d(x, weight, bias, stride=(1, 2), padding=1).relu(), 2)
    result.backward(numbers(*result.shape))
    return [result, x.grad, weight.grad, bias.grad]


def joined_in_new_places() -> list[Any]:
    x, y, part = numbers(3, 4, requires_grad=True), numbers(3, 4), numbers(4, 6).t()[1:4]
    across, stacked = sg.cat((x, y, part), 1), sg.stack([y, x], 2)
    (across.sum() + (stacked * 2).sum()).backward()
    return [across, stacked, x.grad, sg.cat([y, y + 1, y + 2, y + 3, y + 4])]


def looked_up() -> list[Any]:
    table, x = numbers(6, 3, requires_grad=True), numbers(4, 5, requires_grad=True)
    rows = sg.tensor([[1, 5, 1], [0, 2, 1]]).cuda()
    positions = sg.tensor([[0, 3, 3, 1], [2, 0, 1, 3]]).cuda()
    found = [
        F.embedding(rows, table),
        F.embedding(rows, table, padding_idx=1),
        table.index_select(0, rows[0]),
        x.gather(0, positions),
        x.gather(1, positions),
    ]
    for each in found:
        each.backward(numbers(*each.shape))
    added = numbers(4, 5).scatter_add(0, positions, numbers(2, 4)).index_add(0, rows[1, :2], numbers(2, 5))
    return [*found, table.grad, x.grad, added]


def classified() -> list[Any]:
    x, weight, classes = numbers(5, 4, requires_grad=True), numbers(4) + 2, sg.tensor([3, 0, -100, 2, 1]).cuda()
    losses = [
        F.cross_entropy(x, classes),
        F.cross_entropy(x, classes, weight, reduction="sum", label_smoothing=0.25),
        F.nll_loss(x.log_softmax(1), classes, weight),
        F.nll_loss(x, classes, reduction="none").sum(),
    ]
    for loss in losses:
        loss.backward()
    return [*losses, x.grad]


def rearranged() -> list[Any]:
    x = numbers(4, 6, requires_grad=True)
    found = [x.roll(2, 1), F.pad(x, (1, 2), value=0.5), x.tril(-1), x.flip(0), x.cumsum(1), x.t().contiguous()]
    for each in found:
        each.backward(numbers(*each.shape))
    return [*found, x.grad, F.pad(x, (1, 0), value=-0.0), F.pad(x, (1, 0), value=0.0)]


def recurrent(kind: str) -> list[Any]:
    """A layer whose node has several outputs with gradients: of all, and of one alone."""
    sg.manual_seed(0)
    layer = getattr(sg.nn, kind)(3, 2, dtype=sg.float64).cuda()
    x = numbers(4, 2, 3, requires_grad=True)
    output, last = layer(x)
    states = last if isinstance(last, tuple) else (last,)
    sum([(state * numbers(*state.shape)).sum() for state in states], (output * numbers(4, 2, 2)).sum()).backward()
    layer(x)[0].sum().backward()
    return [output, *states, x.grad, *[p.grad for p in layer.parameters()]]


def attended() -> list[Any]:
    """Heads that lie side by side in rows: steps lead from head to head, and others from row to row."""
    q, k, v = (numbers(2, 5, 3, 4, requires_grad=True) for _ in range(3))
    result = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
    result.transpose(1, 2).backward(numbers(2, 5, 3, 4))
    return [result, q.grad, k.grad, v.grad]


PROGRAMS: dict[str, Program] = {
    "arithmetic": arithmetic,
    "float32": lambda: arithmetic(sg.float32),
    "float16": lambda: arithmetic(sg.float16),
    "bfloat16": lambda: arithmetic(sg.bfloat16),
    "numbers": numbers_of_all_kinds,
    "rows and columns": rows_and_columns,
    "masks": masks,
    "views": views,
    "in place": in_place,
    "normalised": normalised,
    "normalised float16": lambda: normalised(sg.float16),
    "normalised bfloat16": lambda: normalised(sg.bfloat16),
    "folded": folded,
    "folded float16": lambda: folded(sg.float16),
    "folded bfloat16": lambda: folded(sg.bfloat16),
    "concatenated": concatenated,
    "multiplied": multiplied,
    "multiplied float16": lambda: multiplied(sg.float16),
    "multiplied bfloat16": lambda: multiplied(sg.bfloat16),
    "convolved": convolved,
    "joined in new places": joined_in_new_places,
    "looked up": looked_up,
    "classified": classified,
    "rearranged": rearranged,
    "lstm": lambda: recurrent("LSTM"),
    "gru": lambda: recurrent("GRU"),
    "attended": attended,
}
