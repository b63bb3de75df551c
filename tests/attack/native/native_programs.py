"""Programs that run natively, on operands that somebody may change meanwhile: see test_native_ownership.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import specgrad as sg

F = sg.nn.functional
LONG = (40, 120)  # so many elements that native code lets other threads run


class Operands:
    """Operands of all programs, the same numbers each time; those in `items` are in a list as well."""

    def __init__(self, requires_grad: bool = False) -> None:
        generator = sg.Generator().manual_seed(3)

        def numbers(*shape: int) -> Any:
            return sg.randn(shape, generator=generator).requires_grad_(requires_grad)

        self.a, self.b, self.mask = numbers(6, 5), numbers(6, 5), sg.arange(30).reshape(6, 5) % 3 == 0
        self.row, self.column, self.shift = numbers(5), numbers(6, 1), numbers(5)
        self.x, self.weight, self.bias = numbers(3, 4, 5), numbers(7, 5), numbers(7)
        self.long, self.other, self.short = numbers(*LONG), numbers(*LONG), numbers(LONG[1])
        self.classes, self.positions = sg.tensor([0, 4, 1, 3, 2, 2]), sg.tensor([[1, 0], [4, 4], [2, 3]])
        self.separate = numbers(5, 6).detach().t()
        self.transposed = numbers(7, 5).detach().t()
        self.items = [self.a, self.b, self.a]

    def to(self, device: str) -> Operands:
        """The same operands on a device."""
        for name, value in vars(self).items():
            if isinstance(value, sg.Tensor):
                setattr(self, name, value.detach().to(device).requires_grad_(value.requires_grad))
        self.items = [self.a, self.b, self.separate]  # a tensor that is there twice would be left to Python
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter([value for value in vars(self).values() if isinstance(value, sg.Tensor)])


_indices = ["cpu"]  # where operands lie, the last of them


def made(requires_grad: bool = False) -> Operands:
    """New operands."""
    operands = Operands(requires_grad)
    return operands if _indices[-1] == "cpu" else operands.to(_indices[-1])


@contextmanager
def on_device() -> Iterator[None]:
    """Inside, new operands lie on a device."""
    _indices.append("cuda")
    try:
        yield
    finally:
        _indices.pop()


Program = Callable[[Operands], Any]

# Each is one op, so that its result is that of the operands before the attack or of those after it.
OPS: dict[str, Program] = {
    "mul": lambda o: o.a * o.b,
    "mul by a number": lambda o: o.a * 3,
    "add with alpha": lambda o: sg.add(o.a, o.b, alpha=2),
    "tanh": lambda o: o.a.tanh(),
    "where": lambda o: sg.where(o.mask, o.a, o.b),
    "compare": lambda o: o.a > o.b,
    "rows": lambda o: o.a * o.row,
    "columns": lambda o: o.a - o.column,
    "separate": lambda o: o.a + o.separate,
    "mul long": lambda o: o.long * o.other,
    "rows long": lambda o: o.long + o.short,
    "transpose": lambda o: o.a.t(),
    "select": lambda o: o.x[1],
    "slice": lambda o: o.x[1:, 2],
    "reshape": lambda o: o.x.reshape(4, 15),
    "expand": lambda o: o.column.expand(6, 4),
    "cat": lambda o: sg.cat(o.items),
    "stack": lambda o: sg.stack(o.items, 1),
    "sum": lambda o: o.x.sum(1),
    "sum long": lambda o: o.long.sum(),
    "mean": lambda o: o.x.mean((0, 2)),
    "var": lambda o: o.x.var(1),
    "max": lambda o: o.x.max(),
    "max along": lambda o: o.x.max(1).values,
    "mm": lambda o: o.a @ o.transposed,
    "linear": lambda o: F.linear(o.x, o.weight, o.bias),
    "softmax": lambda o: o.x.softmax(-1),
    "log softmax": lambda o: F.log_softmax(o.x, 2),
    "layer norm": lambda o: F.layer_norm(o.x, (5,), o.row, o.shift),
    "cross-entropy": lambda o: F.cross_entropy(o.a, o.classes),
    "index select": lambda o: o.b.index_select(0, o.classes),
    "copy": lambda o: o.x.permute(2, 0, 1).contiguous(),
    "ones like": lambda o: sg.ones_like(o.a),
    "new, filled": lambda o: o.a.new_full((3, 4), 2.5),
    "a range": lambda o: sg.arange(0, 3, 0.5),
    "a diagonal": lambda o: sg.eye(3, 4, dtype=sg.bfloat16),
    "numbers": lambda o: sg.tensor([[1, 2.5], [True, 4]]),
    "draws": lambda o: sg.rand(7, generator=sg.Generator().manual_seed(3)),
    "draws like": lambda o: sg.randn_like(o.a, generator=sg.Generator().manual_seed(3)),
}

# Those that are launched natively on devices.
ON_DEVICES: dict[str, Program] = {
    **{name: OPS[name] for name in ("mul", "mul by a number", "add with alpha", "tanh", "where", "compare", "rows")},
    **{name: OPS[name] for name in ("separate", "cat", "stack", "index select", "cross-entropy", "softmax")},
    "embedding": lambda o: F.embedding(o.classes, o.b),
    "gather": lambda o: o.b.gather(1, o.positions),
    "gradients": lambda o: sg.autograd.grad(((o.a * o.b).tanh() * 3).exp(), o.a, sg.ones_like(o.a))[0],
}

# In place: what they leave in the operand is not looked at, but it must be whole.
WRITES: dict[str, Program] = {
    "mul_": lambda o: o.a.detach().mul_(o.b.detach()),
    "add_ a number": lambda o: o.a.detach().add_(1.5),
    "sigmoid_ long": lambda o: o.long.detach().sigmoid_(),
}

# Of several ops, with gradients.
GRAPHS: dict[str, Program] = {
    "arithmetic": lambda o: ((o.a * o.b + o.a / 3 - 0.5 * o.b).tanh() ** 2).sum(),
    "a fork": lambda o: (o.a * o.a + o.a).sum(),
    "a mask": lambda o: sg.where(o.a > 0, o.a, 0.1 * o.b).sum(),
    "broadcasting": lambda o: (o.a * o.column - o.row).sum(),
    "products": lambda o: (o.a @ o.b.t() @ o.a).sum() + F.linear(o.x, o.weight, o.bias).sum(),
    "views": lambda o: o.x[1:, :, 2].t().unsqueeze(0).expand(2, 4, 2).reshape(-1).sum(),
    "joined": lambda o: sg.cat(o.items, 1).sum() + sg.stack(o.items, 1).mean((0, 1)).sum(),
    "several outputs": lambda o: o.x.max(1).values.sum() + o.x.var(1).sum(),
    "normalised": lambda o: (F.layer_norm(o.x, (5,), o.row, o.shift) * o.x.softmax(-1)).sum(),
    "cross-entropy": lambda o: F.cross_entropy(o.a, o.classes, label_smoothing=0.1),
    "long": lambda o: (o.long * o.other + o.short).sigmoid().sum(),
    "by index": lambda o: (F.embedding(o.classes, o.b) * o.a).sum() + o.a.gather(1, o.positions).mean(),
}
GRAPHS_ON_DEVICES: dict[str, Program] = {name: GRAPHS[name] for name in ("by index", "cross-entropy", "joined")}
