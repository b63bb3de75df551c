"""Checks the derivatives and meanings of a package's scalar functions against the numbers that they return."""

import importlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..language.scalar_functions import Functions, Scalar, parsed
from ..library.op_library import OpLibrary
from ..proof.numbers import Points, Unknown, evaluate
from ..spec.model import Where
from .calls.findings import Finding, Report, both
from .calls.finite_differences import EPSILON, STEP, central
from .processes import stand_in

COUNT = 600  # points: of many a function is not defined
FEWEST = 10  # points at which a derivative has to be seen
FINER = 16.0  # how much smaller a second step is, which sees the same derivative where there is one
RELATIVE = 1e-6
ABSOLUTE = 1e-8


@dataclass(frozen=True)
class Claim:
    """A function of a package, where it is, and what is said of it."""

    folder: Path  # of the package
    module: tuple[str, ...]  # below it
    name: str
    known: Scalar
    where: Where
    locations: tuple[Where, ...]  # of the derivatives that are said
    domain: Mapping[str, tuple[float, float]]

    def function(self) -> Callable[..., Any]:
        value = getattr(importlib.import_module(".".join((stand_in(self.folder), *self.module))), self.name)
        return getattr(value, "py_func", value)


def claims(op_libraries: Iterable[OpLibrary], functions: Functions) -> list[Claim]:
    matches = []
    for op_library in op_libraries:
        for d in op_library.definitions if op_library.label else ():
            module = d.file.relative_to(op_library.folder).with_suffix("").parts
            where = Where(str(d.file), d.node.lineno, d.node.col_offset + 1)
            declared = d.declared.args if d.declared else []
            locations = tuple(Where(str(d.file), node.lineno, node.col_offset + 1) for node in declared)
            matches.append(Claim(op_library.folder, module, d.node.name, functions[d.name], where, locations, d.domain))
    return matches


def running(result: Iterable[Claim], functions: Functions) -> Functions:
    own = {c.name: replace(c.known, numbers=_on_arrays(c.function())) for c in result if c.known.meaning is None}
    return {**functions, **own}


def _on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    def one(*values: float) -> float:
        try:
            return float(function(*map(np.float64, values)))
        except (ArithmeticError, ValueError, TypeError):
            return float("nan")

    return np.vectorize(one, otypes=[float])


def check_functions(result: list[Claim], functions: Functions) -> Report:
    report = Report()
    known = running(result, functions)
    with np.errstate(all="ignore"):
        for claim in result:
            points = _points(claim)
            value = _on_arrays(claim.function())
            for wrong in (_wrong_reading, _wrong_derivatives):
                for finding in wrong(claim, value, points, known):
                    report.add(finding)
            report.checks += (claim.known.meaning is not None) + len(claim.locations)
    return report


def _points(claim: Claim) -> Points:
    rng = np.random.default_rng(zlib.crc32(claim.name.encode()))

    def sample_values(parameter: str) -> np.ndarray:
        if parameter in claim.domain:
            return rng.uniform(*claim.domain[parameter], COUNT)
        return np.asarray(rng.normal(size=COUNT) * rng.choice((0.3, 1.0, 5.0), COUNT))

    return {parameter: sample_values(parameter) for parameter in claim.known.parameters}


def _wrong_reading(claim: Claim, value: Callable[..., Any], points: Points, known: Functions) -> Iterator[Finding]:
    if claim.known.meaning is None:
        return
    read = _at(claim.known.meaning, points, known)
    values = value(*points.values())
    wrong = np.abs(values - read) - RELATIVE * (np.abs(values) + np.abs(read)) - ABSOLUTE
    if (worst := _worst(wrong)) is not None:
        got, want = both(read[worst], values[worst])
        text = f"{_point_description(points, worst)} it is taken for {claim.known.meaning}, which gives {got}"
        yield Finding(str(claim.where), claim.name, "", f"{text}; it gives {want}")


def _wrong_derivatives(claim: Claim, value: Callable[..., Any], points: Points, known: Functions) -> Iterator[Finding]:
    values = value(*points.values())
    for parameter, text, where in zip(claim.known.parameters, claim.known.derivatives, claim.locations, strict=False):
        if text is None:
            continue
        derivative, settled = _difference(value, points, parameter, values)
        declared = _at(text, {**points, "result": values}, known)
        wrong = np.where(np.isfinite(declared), np.abs(declared - derivative), np.inf)
        noise = 64 * EPSILON * np.abs(values) / (STEP / FINER)
        excess = np.where(settled, wrong - RELATIVE * (np.abs(declared) + np.abs(derivative)) - noise - ABSOLUTE, -1)
        subject = f"derivative by {parameter}"
        if settled.sum() < FEWEST:
            message = f"it cannot be compared: at {settled.sum()} of {COUNT} points the function has a derivative"
            yield Finding(str(where), claim.name, subject, message)
        elif (worst := _worst(excess)) is not None:
            got, want = both(declared[worst], derivative[worst])
            message = f"{_point_description(points, worst)} it is said to be {got}, and is {want}"
            yield Finding(str(where), claim.name, subject, message)


def _at(text: str, points: Points, known: Functions) -> Any:
    try:
        result = evaluate(parsed(text), points, known)
    except Unknown:
        result = np.nan
    return np.broadcast_to(np.asarray(result, float), (COUNT,))


def _difference(value: Callable[..., Any], points: Points, parameter: str, values: Any) -> tuple[Any, Any]:
    """The derivative by differences of fourth order, and where two steps agree on it."""
    matches = []
    for step in (STEP, STEP / FINER):
        h = step * np.maximum(1, np.abs(points[parameter]))
        shifted = [{**points, parameter: points[parameter] + k * h} for k in (-2, -1, 1, 2)]
        matches.append(central([value(*each.values()) for each in shifted], h))
    coarse, fine = matches
    noise = 64 * EPSILON * np.abs(values) / (STEP / FINER)
    return coarse, np.abs(coarse - fine) <= RELATIVE * (np.abs(coarse) + np.abs(fine)) + noise + ABSOLUTE


def _worst(excess: Any) -> int | None:
    worst = int(np.argmax(np.nan_to_num(excess, nan=-1.0)))
    return worst if excess[worst] > 0 else None


def _point_description(points: Points, i: int) -> str:
    return "at " + ", ".join(f"{name}={array[i]:.6g}" for name, array in points.items())
