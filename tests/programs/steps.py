"""A program: steps that name an op, the tensors it works on and its other arguments; and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .machine import Machine
from .model import Cell

MODES = {"grad": "", "no_grad": "with torch.no_grad(): ", "inference": "with torch.inference_mode(): "}


class Op(NamedTuple):
    """An op of the language.

    `text` is how it is written, with {0} for its first tensor and {name} for an argument; `arguments` draws the
    arguments, given a `Drawing` and the tensors; `run` computes it in the model, given the machine, the tensors and the
    arguments, and returns the tensors that it gives. `kind` is view, views (several), new, write or other.
    """

    text: str
    arguments: Callable[..., dict[str, Any]]
    run: Callable[..., Any]
    kind: str
    operands: int = 1


@dataclass(frozen=True)
class Step:
    """One op of a program, on the tensors t0, t1, ... whose numbers are `operands`."""

    op: str
    operands: tuple[int, ...]
    arguments: tuple[tuple[str, Any], ...]
    mode: str

    def run(self, ops: dict[str, Op], machine: Machine) -> Sequence[Cell]:
        """Run the step in the model; returns the tensors that it gives."""
        machine.recording = self.mode == "grad"
        found = ops[self.op].run(machine, *(machine.cells[i] for i in self.operands), **dict(self.arguments))
        return () if found is None else (found,) if isinstance(found, Cell) else found


@dataclass(frozen=True)
class Line:
    """A step as a line of Python, the tensors it assigns, and what the model expects: an error's class, or None."""

    text: str
    targets: tuple[int, ...]
    error: type[Exception] | None

    def __str__(self) -> str:
        expected = "" if self.error is None else f"  # {self.error.__name__}"
        return f"{self.text}{expected}"


def line(step: Step, ops: dict[str, Op], targets: tuple[int, ...], error: type[Exception] | None) -> Line:
    """How a step is written."""
    op = ops[step.op]
    text = op.text.format(*(f"t{i}" for i in step.operands), **dict(step.arguments))
    names = [f"t{i}" for i in targets]
    if op.kind == "views":
        text = f"{''.join(f'{name}, ' for name in names) or '[] '}= {text}"
    elif names:
        text = f"{names[0]} = {text}"
    return Line(MODES[step.mode] + text, targets, error)
