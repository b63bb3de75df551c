"""Findings of `verify`: lines such as `file:line:col: op, gradient of other: at (...) the formula gives ..., ...`."""

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from types import CodeType
from typing import Any

import numpy as np

from ...spec.fields import KEYS
from ...spec.model import legible
from .entries import has_key, spec_entry


def largest(array: np.ndarray) -> float:
    return float(np.abs(array[np.isfinite(array)]).astype(np.float64).max(initial=0.0))


def close(a: np.ndarray, b: np.ndarray, relative: float, absolute: float) -> bool:
    wide = np.complex128
    return bool(np.allclose(a.astype(wide), b.astype(wide), rtol=relative, atol=absolute, equal_nan=True))


def worst(a: np.ndarray, b: np.ndarray) -> tuple[tuple[int, ...], str, str]:
    wide, other = a.astype(np.complex128), b.astype(np.complex128)
    error = np.where(wide == other, 0, np.nan_to_num(np.abs(wide - other), nan=np.inf))
    error = np.where(np.isnan(wide) & np.isnan(other), 0, error)
    index = tuple(map(int, np.unravel_index(int(np.argmax(error)), a.shape)))
    return index, *both(a[index], b[index])


def relative_error(a: Any, b: Any) -> float:
    """|a - b| of |a| + |b|, in [0, 1]; infinite where one is not finite."""
    size = float(abs(a - b) / (abs(a) + abs(b) + 1e-300))
    return size if np.isfinite(size) else float("inf")


def both(a: Any, b: Any) -> tuple[str, str]:
    for digits in range(3, 18):
        shown = number(a, digits), number(b, digits)
        if shown[0] != shown[1]:
            break
    return shown


def number(value: Any, digits: int = 4) -> str:
    value = complex(value)
    return f"{value.real:.{digits}g}" if value.imag == 0 else f"({value.real:.{digits}g}{value.imag:+.{digits}g}j)"


@dataclass(frozen=True)
class Finding:
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
    advice: str = ""  # what answers a nan in the call in hand

    def add(self, finding: Finding) -> None:
        key = finding.op, finding.subject
        if key not in self.findings or finding.size > self.findings[key].size:
            self.findings[key] = finding

    def find(
        self, op: Any, key: str, text: str, subject: str | None = None, size: float = np.inf, level: int = 1
    ) -> None:
        text += self.advice * bool(re.search(r"\bnan\b", text))
        self.add(Finding(location_of(op, key), op.name, key if subject is None else subject, text, size, level))

    def join(self, other: "Report") -> None:
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
        matches = [f for f in self.findings.values() if f.level == lowest[f.op]]
        return [str(f) for f in sorted(matches, key=lambda f: (rank.get(f.op, len(rank)), f.location, f.subject))]


def location_of(op: Any, key: str = "") -> str:
    entry = spec_entry(op)
    if entry is None:
        return PurePath(op.spec).name
    formulas = entry.gradients | entry.forward
    if key in formulas:
        return str(formulas[key].where)
    return str(entry.key_locations[key]) if key in entry.key_locations else f"{entry.where.file}:{entry.where.line}"


def forward_formula(op: Any) -> str:
    known = {"self", *KEYS, *op.inputs, *[name for name, *_ in op.arguments]}
    return next((key for key in op.formulas if key not in known), "result")


def call_at(point: Any, values: Iterable[Any]) -> str:
    arguments = {leaf.argument: number(v) for leaf, v in zip(point.leaves, values, strict=True)}
    plain = {name: repr(v) for name, v in point.arguments.items() if not hasattr(v, "_requires_grad")}
    shown = {name: (plain | arguments).get(name) for name in point.arguments}
    return f"({', '.join(f'{name}={text}' for name, text in shown.items() if text is not None)})"


def nan_advice(values: Mapping[str, Any]) -> str:
    """For arguments that nobody listed so: how the entry says that the op is not called so."""
    if not values:
        return ""
    shown = " or ".join(f"{name}={value}" for name, value in values.items())
    name = next(iter(values))
    keys = f"`domain: {{{name}: [lo, hi]}}`, or `skip_grad_args: {{{name}: why}}`"
    return f" (if the op is not called with {shown}, the entry says so: {keys})"


def element(leaf: Any, index: Sequence[Any]) -> str:
    where = f"[{', '.join(map(str, index))}]" if len(index) else ""
    return f"{leaf.label}{where} = {number(leaf.array[tuple(index)])}"


LONGEST = 400  # letters of what an error says


def key_of(op: Any, error: BaseException) -> str:
    """The key of what the op's function called last: its check, or how it is computed; empty where neither raised."""
    name = op.function.__name__
    codes = [code for each in _chain(error) for code in _codes(each)]
    file = op.function.__code__.co_filename  # a mutant's has no place on disk
    own = [i for i, code in enumerate(codes) if code.co_name in (name, f"_{name}") and code.co_filename == file]
    behind = codes[own[-1] + 1 :] if own else []
    if not behind:
        return ""
    path = _file(behind[0])
    is_rule = path.parent.name == "checks" or path.stem.partition("_")[0] == "checks"
    key = "check" if is_rule else str(op.kind)
    return key if has_key(op, key) else ""


PROPER = (IndexError, RuntimeError, TypeError, ValueError)  # what a wrong call raises


def is_refusal(error: BaseException) -> bool:
    return on_purpose(error) and not computes(error)


def is_proper(error: BaseException) -> bool:
    return isinstance(error, PROPER) and not isinstance(error, RecursionError)


def on_purpose(error: BaseException) -> bool:
    """Whether somebody wrote `raise` for a wrong call, be it in a kernel, rather than that an operation failed."""
    from specgrad.runtime.methods.argument_errors import raising_frame  # here: a broken framework can be generated anew

    return is_proper(error) and raising_frame(error) is not None


def computes(error: BaseException) -> bool:
    """Whether an error comes from a kernel or its compiler: from their files, but for the check of row programs."""
    files = (_file(code) for each in _chain(error) for code in _codes(each))
    parts = [{*file.parts, file.stem} for file in files]
    return any("row_shapes" not in own and ("kernels" in own or {"runtime", "compiler"} <= own) for own in parts)


def error_message(error: BaseException) -> str:
    return f"{type(error).__name__}: {legible(' '.join(_essence(error).split()), LONGEST)}"


def _essence(error: BaseException) -> str:
    from specgrad.runtime.dispatch.errors import compiler_reason, is_of_compiler

    return compiler_reason(error) if is_of_compiler(error) else str(error)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _codes(error: BaseException) -> list[CodeType]:
    return [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]


def _file(code: CodeType) -> PurePath:
    return PurePath(code.co_filename)
