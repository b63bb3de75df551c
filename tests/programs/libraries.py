"""Running a program in a library, and comparing what it does there with what it does elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .dual import Refused
from .model import Cell
from .programs import Program, weights


class Seen(NamedTuple):
    """What can be said of a tensor; `is_leaf` and `base` may be an error's class."""

    values: Any
    version: int
    requires_grad: bool
    is_leaf: Any
    base: Any


class Run(NamedTuple):
    """The errors of lines and ends (None where there was none), the tensors at the end, the gradients of the leaves.

    There are no gradients where backward failed.
    """

    errors: list[type[Exception] | None]
    tensors: list[Seen | None]
    grads: list[Any]


def run(program: Program, library: Any) -> Run:
    """Run a program with a library in the place of torch."""
    names: dict[str, Any] = {"torch": library, "weights": lambda t: library.tensor(weights(tuple(t.shape)))}
    names["AsIs"] = as_is(library.autograd.Function)
    for i, (values, requires) in enumerate(program.leaves):
        names[f"t{i}"] = library.tensor(values, dtype=library.float64, requires_grad=requires)
    errors = [attempt(line.text, names) for line in program.lines]
    tensors = [names.get(f"t{i}") for i in range(len(program.cells))]
    errors += [attempt(str(end), names) for end in program.ends]
    leaves = [t for t, cell in zip(tensors, program.cells, strict=True) if cell.own and cell.node is None]
    grads = [leaf.grad for leaf in leaves] if program.ends and errors[-1] is None else []
    facts = [None if t is None else seen(t, tensors) for t in tensors]
    return Run(errors, facts, [None if g is None else numbers(g) for g in grads])


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


def attempt(text: str, names: dict[str, Any]) -> type[Exception] | None:
    """Run one line; returns the class of its error."""
    try:
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
    return Seen(numbers(tensor), tensor._version, tensor.requires_grad, leaf, place(tensor._base, tensors))


def place(base: Any, tensors: Sequence[Any]) -> int | None:
    """The number of the tensor that is the base of another; -1 for one that has no number."""
    return None if base is None else next((i for i, t in enumerate(tensors) if t is base), -1)


def expected(program: Program) -> Run:
    """What the model says."""
    errors = [line.error for line in program.lines] + [end.error for end in program.ends]
    grads = list(program.ends[-1].grads) if program.ends and errors[-1] is None else []
    return Run(errors, [seen_cell(cell, program.cells) for cell in program.cells], grads)


def seen_cell(cell: Cell, cells: Sequence[Cell]) -> Seen:
    """What the model says of a tensor."""
    try:
        leaf: Any = cell.history() is None
    except Refused as refused:
        leaf = refused.kind
    return Seen(cell.values, cell.memory.version, cell.requires, leaf, place(cell.base, cells))


def differences(found: Run, right: Run) -> list[str]:
    """All that is not the same, in words."""
    texts = []
    for i, (error, wanted) in enumerate(zip(found.errors, right.errors, strict=True)):
        if not same_error(error, wanted):
            texts.append(f"line {i + 1}: {name(error)} instead of {name(wanted)}")
    for i, pair in enumerate(zip(found.tensors, right.tensors, strict=True)):
        if any(fact is None for fact in pair):  # a line that should have made it failed
            continue
        for field, value, wanted_value in zip(Seen._fields, *pair, strict=True):
            if not same(value, wanted_value):
                texts.append(f"t{i}.{field}: {value} instead of {wanted_value}")
    for i, (grad, wanted_grad) in enumerate(zip(found.grads, right.grads, strict=False)):
        if not same(grad, wanted_grad):
            texts.append(f"gradient {i}: {grad} instead of {wanted_grad}")
    return texts


def same_error(found: Any, wanted: Any) -> bool:
    """Whether an error is caught by who expects the other."""
    return found is wanted if found is None or wanted is None else issubclass(found, wanted)


def same(found: Any, wanted: Any) -> bool:
    """Whether two facts agree, numbers up to rounding."""
    if isinstance(found, np.ndarray) and isinstance(wanted, np.ndarray):
        return found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-7, atol=1e-9)
    return type(found) is type(wanted) and bool(found == wanted)


def name(error: Any) -> str:
    """An error's class, or that there was none."""
    return "no error" if error is None else error.__name__
