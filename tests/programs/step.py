"""Ops of the language in which programs are written, and single steps of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .machine import Machine
from .model import Cell

MODES = {
    "grad": "",
    "no_grad": "with torch.no_grad(): ",
    "inference": "with torch.inference_mode(): ",
    "enabled": "with torch.no_grad(), torch.enable_grad(): ",
    "disabled": "with torch.set_grad_enabled(False): ",
}
RECORDING = ("grad", "enabled")


class Op(NamedTuple):
    """An op of the language.

    `text` is how it is written, with {0} for its first tensor and {name} for an argument; `arguments` draws the
    arguments, given a `Drawing` and the tensors; `run` computes it in the model, given the machine, the tensors and the
    arguments, and returns the tensors that it gives. `kind` is view, views (several), new, write or alias.
    """

    text: str
    arguments: Callable[..., dict[str, Any]]
    run: Callable[..., Any]
    kind: str
    operands: int = 1


@dataclass(frozen=True)
class Step:
    """One op of a program, on the tensors t0, t1, ... whose numbers are `operands`."""

    op: Op
    operands: tuple[int, ...]
    arguments: dict[str, Any]
    mode: str

    def run(self, machine: Machine) -> Sequence[Cell]:
        """Run the step in the model; returns the tensors that it gives."""
        machine.recording = self.mode in RECORDING
        found = self.op.run(machine, *(machine.cells[i] for i in self.operands), **self.arguments)
        return () if found is None else (found,) if isinstance(found, Cell) else tuple(found)

    def text(self, targets: Sequence[int]) -> str:
        """The step as a line of Python that assigns its results to the tensors of these numbers."""
        text = self.op.text.format(*(f"t{i}" for i in self.operands), **self.arguments)
        names = [f"t{i}" for i in targets]
        if self.op.kind == "views":
            text = f"[{', '.join(names)}] = {text}"
        elif names:
            text = f"{names[0]} = {text}"
        return MODES[self.mode] + text


@dataclass(frozen=True)
class Line:
    """A line of a program, and what the model expects of it: the class of an error, or None."""

    text: str
    error: type[Exception] | None

    def __str__(self) -> str:
        return self.text if self.error is None else f"{self.text}  # {self.error.__name__}"
