"""Running a program in a library, and what can be observed there."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .dual import Refused, Unsuitable
from .model import Cell
from .program import Program, weights

Error = type[Exception] | None


class Seen(NamedTuple):
    """What can be said of a tensor; `is_leaf` may be an error's class, `base` is the number of a tensor."""

    values: Any
    version: int
    requires_grad: bool
    is_leaf: Any
    base: int | None


class Run(NamedTuple):
    """The errors of lines and of ends (None where there was none), the tensors, and the gradients after each end."""

    lines: list[Error]
    ends: list[Error]
    tensors: list[Seen | None]
    grads: list[list[Any]]


def run(program: Program, library: Any) -> Run:
    """Run a program with a library in the place of torch."""
    names, lines = run_lines(program, library)
    ends, grads = [], []
    for end in program.ends:
        ends.append(attempt(end.text, names))
        found = [leaf.grad for leaf in names["leaves"]] if end.way == "backward" else names.get("found", ())
        grads.append([None if g is None else numbers(g) for g in found] if ends[-1] is None else [])
    tensors = [names.get(f"t{i}") for i in range(len(program.cells))]
    return Run(lines, ends, [None if t is None else seen(t, tensors) for t in tensors], grads)


def run_lines(program: Program, library: Any) -> tuple[dict[str, Any], list[Error]]:
    """Run all but the ends: the variables, and the errors."""
    names: dict[str, Any] = {"torch": library, "weights": lambda t: library.tensor(weights(tuple(t.shape)))}
    names |= {"AsIs": as_is(library.autograd.Function), "hooked": hooked}
    for i, (values, requires) in enumerate(program.leaves):
        names[f"t{i}"] = library.tensor(values, dtype=library.float64, requires_grad=requires)
    errors = [attempt(line.text, names) for line in program.lines]
    names["leaves"] = [names[f"t{i}"] for i in program.last_leaves if f"t{i}" in names]
    return names, errors


def as_is(function: Any) -> Any:
    """A custom Function that returns its input and triples the gradient."""

    class AsIs(function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3

    return AsIs


def hooked(x: Any) -> Any:
    """A copy whose gradient a hook doubles."""
    found = x.clone()
    if found.requires_grad:
        found.register_hook(lambda grad: grad * 2)
    return found


def attempt(text: str, names: dict[str, Any]) -> Error:
    """Run one line; returns the class of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is deprecated is so in one library only
            exec(text, names)
    except Exception as error:
        return type(error)
    return None


def numbers(tensor: Any) -> Any:
    """The values of a tensor."""
    return np.array(tensor.detach().tolist(), dtype=np.float64).reshape(tuple(tensor.shape))


def seen(tensor: Any, tensors: Sequence[Any]) -> Seen:
    """What can be said of one of the tensors of a program."""
    try:
        leaf: Any = tensor.is_leaf
    except RuntimeError:
        leaf = RuntimeError
    return Seen(numbers(tensor), tensor._version, tensor.requires_grad, leaf, number_of(tensor._base, tensors))


def number_of(base: Any, tensors: Sequence[Any]) -> int | None:
    """The number of the tensor that is the base of another; -1 for one that has no number."""
    return None if base is None else next((i for i, t in enumerate(tensors) if t is base), -1)


def expected(program: Program) -> Run:
    """What the model says."""
    lines, ends = [line.error for line in program.lines], [end.error for end in program.ends]
    tensors = [seen_in_model(cell, program.cells) for cell in program.cells]
    return Run(lines, ends, tensors, [list(end.grads) if end.error is None else [] for end in program.ends])


def seen_in_model(cell: Cell, cells: Sequence[Cell]) -> Seen:
    """What the model says of a tensor."""
    try:
        leaf: Any = cell.history() is None
    except Refused as refused:
        leaf = refused.kind
    except Unsuitable:
        leaf = False
    return Seen(cell.values, cell.memory.version, cell.requires, leaf, number_of(cell.base, cells))


def second_derivatives(program: Program, library: Any) -> Any:
    """Gradients of the squares of the gradients of the first end, zeros where there are none; or the error's class."""
    names, _ = run_lines(program, library)
    text = f"first = torch.autograd.grad({program.ends[0].loss}, leaves, create_graph=True, allow_unused=True)"
    error = attempt(text, names)
    if error is not None:
        return error
    squares = [(grad * grad).sum() for grad in names["first"] if grad is not None and grad.requires_grad]
    if squares:
        names["total"] = sum(squares[1:], squares[0])
        error = attempt("second = torch.autograd.grad(total, leaves, allow_unused=True)", names)
    names.setdefault("second", [None] * len(names["leaves"]))
    pairs = zip(names["leaves"], names["second"], strict=True)
    return error or [numbers(leaf * 0 if grad is None else leaf * 0 + grad) for leaf, grad in pairs]
