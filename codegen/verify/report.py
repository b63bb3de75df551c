"""Findings of `verify`: lines such as `file:line:col: op, gradient of other: at (...) the formula gives ..., ...`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np

from ..spec.keys import KEYS
from .compare import number
from .entries import spec_entry


@dataclass(frozen=True)
class Finding:
    """One wrong thing; of several about one subject the report keeps the worst."""

    location: str
    op: str
    subject: str  # "gradient of other"; empty for the op as a whole
    text: str
    size: float = np.inf  # how wrong: errors count as infinitely so
    level: int = 1  # a finding is only shown where none of a lower level may be its reason

    def __str__(self) -> str:
        return f"{self.location}: {self.op}{', ' if self.subject else ''}{self.subject}: {self.text}"


@dataclass
class Report:
    """The outcome of some checks: how many there were, and the worst finding for each subject."""

    checks: int = 0
    undefined: int = 0  # derivatives that do not exist: there a gradient must only be given
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    kinks: set[str] = field(default_factory=set)  # ops at a kink of which a gradient has been looked at

    def add(self, finding: Finding) -> None:
        key = finding.op, finding.subject
        if key not in self.findings or finding.size > self.findings[key].size:
            self.findings[key] = finding

    def find(
        self, op: Any, key: str, text: str, subject: str | None = None, size: float = np.inf, level: int = 1
    ) -> None:
        """Add a finding at a key of an op's entry; its subject is the key where none is given."""
        self.add(Finding(location_of(op, key), op.name, key if subject is None else subject, text, size, level))

    def join(self, other: Report) -> None:
        self.checks += other.checks
        self.undefined += other.undefined
        for finding in other.findings.values():
            self.add(finding)

    def has(self, op: str, subject: str) -> bool:
        return (op, subject) in self.findings

    def concerns(self, op: str) -> bool:
        return any(known == op for known, _ in self.findings)

    def lines(self, order: Sequence[str]) -> list[str]:
        rank = {name: i for i, name in enumerate(order)}
        lowest: dict[str, int] = {}
        for f in self.findings.values():
            lowest[f.op] = min(f.level, lowest.get(f.op, f.level))
        matches = [f for f in self.findings.values() if f.level == 1 or f.level == lowest[f.op]]
        return [str(f) for f in sorted(matches, key=lambda f: (rank.get(f.op, len(rank)), f.location, f.subject))]


def location_of(op: Any, key: str = "") -> str:
    """Where a formula stands, or the value of another key; the entry itself for an op without it."""
    entry = spec_entry(op)
    if entry is None:
        return PurePath(op.spec).name
    formulas = entry.gradients | entry.forward
    if key in formulas:
        return str(formulas[key].where)
    return str(entry.key_locations[key]) if key in entry.key_locations else f"{entry.where.file}:{entry.where.line}"


def forward_formula(op: Any) -> str:
    """The key of the first forward-mode formula: `result`, or the name of an output."""
    known = {"self", *KEYS, *op.inputs, *[name for name, *_ in op.arguments]}
    return next((key for key in op.formulas if key not in known), "result")


def call_at(point: Any, values: Iterable[Any]) -> str:
    """The call with a number for each leaf, as in (self=0.3, other=-1.2)."""
    arguments = {leaf.argument: number(v) for leaf, v in zip(point.leaves, values, strict=True)}
    rest = {
        name: repr(v)
        for name, v in point.arguments.items()
        if name not in arguments and not hasattr(v, "_requires_grad")
    }
    names = [name for name in point.arguments if name in arguments or name in rest]
    return f"({', '.join(f'{name}={(arguments | rest)[name]}' for name in names)})"


def element(leaf: Any, index: Sequence[Any]) -> str:
    """One element of a leaf, as in self[0, 2] = 0.31."""
    where = f"[{', '.join(map(str, index))}]" if len(index) else ""
    return f"{leaf.label}{where} = {number(leaf.array[tuple(index)])}"
