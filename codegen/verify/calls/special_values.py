"""The numbers at which an element-wise op is looked at: `verify` reads them off the entry, nobody lists them."""

import ast
import itertools
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from specgrad.runtime.tensor import dtypes

from ...proof.boundaries import Condition, conditions, zeros
from ...proof.points import is_mask
from ...spec.model import Argument
from .entries import Meaning
from .samples import Drawing, SampledArgument, in_domain, sample_calls

BESIDE = 1e-3  # of numbers up to 1, relative to larger ones: further than differences reach
RANDOM = 48
SCALES = (0.1, 1.0, 10.0, 60.0)
ORDINARY = (0.0, 1.0, -1.0, 0.5, -2.0, 2.0, 3.0, -0.5, -3.0, 0.25)
ENDS = (np.nan, np.inf, -np.inf, -0.0)
SMALL = (5e-324, -5e-324, 1e-310, 1.4e-45, -1.4e-45, 1.1754944e-38, 6e-8, -6.1e-5)  # denormals, and least normal ones
LARGE = (65504.0, -65504.0, 1e10, -1e10, 3.4028234e38, -3.4028234e38, 20.0, -20.0, 60.0, -60.0)
MAX_VALUES_BY_COUNT = (60, 60, 22, 9, 5)  # values of each of so many tensors
OTHER_NUMBERS: dict[str, tuple[Any, ...]] = {
    "Scalar": (0.0, 1.0, -1.0, 2.0, 0.5),
    "float": (0.0, 1.0, -1.0, 2.0, 0.5),
    "int": (0, 1, 2, 3),
    "bool": (False, True),
}


@dataclass(frozen=True)
class Spots:
    """A column of numbers for each tensor, in one call with these other arguments."""

    columns: dict[str, np.ndarray]
    everywhere: dict[str, np.ndarray]  # with the numbers outside of the domains, which `skip_grad_args` leaves out
    numbers: dict[str, Any]  # as the call gives them
    values: dict[str, Any]  # the same, with the defaults of the rest
    changed: dict[str, Any]  # of these numbers the ones that no sample has
    directly: np.ndarray  # where a boundary lies directly beside

    @property
    def count(self) -> int:
        return len(self.directly)

    @property
    def points(self) -> dict[str, Any]:
        return self._with(self.columns)

    @property
    def points_everywhere(self) -> dict[str, Any]:
        return self._with(self.everywhere)

    def _with(self, columns: dict[str, np.ndarray]) -> dict[str, Any]:
        return {**self.values, **columns, "grad": np.ones(len(next(iter(columns.values()))))}

    def at(self, i: int) -> str:
        values = {name: (column[i], column.dtype.kind) for name, column in self.columns.items()}
        shown = {name: f"{value:.17g}" if kind == "f" else str(value) for name, (value, kind) in values.items()}
        shown |= {name: repr(value) for name, value in self.numbers.items()}
        return f"({', '.join(f'{name}={value}' for name, value in shown.items())})"


def spots(op: Any, meaning: Meaning) -> Iterator[Spots]:
    tensors = [a for a in meaning.entry.schema.arguments if a.type.is_tensor]
    result = conditions(meaning.trees)
    listed = [_numbers_of(op, text) for text in (*sample_calls(op), *op.hard)]
    for numbers, values in settings(op, meaning):
        rng = np.random.default_rng(zlib.crc32(f"{op.name} {numbers}".encode()))
        parts = [_special(meaning, tensors), _random(meaning, tensors, rng)]
        beside, directly = _boundaries(meaning, tensors, values, result, rng)
        columns = {a.name: np.concatenate([part[a.name] for part in (*parts, beside)]) for a in tensors}
        before = len(next(iter(columns.values()))) - len(directly)
        directly = np.concatenate([np.zeros(before, bool), directly])
        inside = inside_domains(op, columns)
        compared = {name: column[inside] for name, column in columns.items()}
        changed = {n: v for n, v in numbers.items() if v not in [own.get(n) for own in listed]}
        yield Spots(compared, columns, numbers, values, {} if numbers in listed else changed, directly[inside])


def inside_domains(op: Any, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """The points at which tensors with the key `skip_grad_args` are in their domains."""
    inside = np.ones(len(next(iter(columns.values()))), bool)
    for name in {*op.unvaried} & columns.keys():
        low, high = op.domain.get(name, (-2.0, 2.0))
        inside &= (columns[name] >= low) & (columns[name] <= high)
    return inside


Setting = tuple[dict[str, Any], dict[str, Any]]


def settings(op: Any, meaning: Meaning) -> Iterator[Setting]:
    arguments = [a for a in meaning.entry.schema.arguments if not a.type.is_tensor]
    drawing = Drawing(op, "", False, dtypes)
    defaults = {a.name: drawing.evaluate(ast.parse(a.default, mode="eval").body) for a in arguments if a.default}
    args = [_numbers_of(op, text) for text in (*sample_calls(op), *op.hard)]
    changed = [
        {**numbers, a.name: other}
        for numbers in args[:1]
        for a in arguments
        if a.name not in op.unvaried
        for other in in_domain(op, a.name, OTHER_NUMBERS.get(a.type.base, ()))
    ]
    seen: set[str] = set()
    for numbers in (*args, *changed):
        values = {**defaults, **numbers}
        if repr(values) not in seen:
            seen.add(repr(values))
            yield numbers, values


def _numbers_of(op: Any, text: str) -> dict[str, Any]:
    value = Drawing(op, text, False, dtypes).arguments(text)
    tensors = [name for name, type_, *_ in op.arguments if type_.rstrip("?") in ("Tensor", "Operand")]
    plain = {n: v for n, v in value.items() if not isinstance(v, SampledArgument)}
    return {n: v for n, v in plain.items() if ("input" if n == "self" else n) not in tensors}


def _special(meaning: Meaning, tensors: list[Argument]) -> dict[str, np.ndarray]:
    max_bytes = MAX_VALUES_BY_COUNT[min(len(tensors), len(MAX_VALUES_BY_COUNT) - 1)]
    selected_values = [*ORDINARY[:3], *ENDS, *SMALL[:1], *LARGE[2:3], *ORDINARY[3:], *SMALL[1:], *LARGE[:2], *LARGE[3:]]
    lists = [(True, False) if is_mask(meaning.entry, a) else selected_values[:max_bytes] for a in tensors]
    rows = list(itertools.product(*lists))
    return {a.name: np.array([row[k] for row in rows]) for k, a in enumerate(tensors)}


def _random(meaning: Meaning, tensors: list[Argument], rng: np.random.Generator) -> dict[str, np.ndarray]:
    results = {}
    for a in tensors:
        low, high = meaning.entry.domain.get(a.name, (-2.0, 2.0))
        wide = rng.normal(size=RANDOM) * rng.choice(SCALES, RANDOM)
        numbers = np.concatenate([rng.uniform(low, high, RANDOM), wide])
        results[a.name] = rng.random(2 * RANDOM) < 0.5 if is_mask(meaning.entry, a) else numbers
    return results


def _boundaries(
    meaning: Meaning,
    tensors: list[Argument],
    values: Mapping[str, Any],
    result: list[Condition],
    rng: np.random.Generator,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rows: list[dict[str, Any]] = []
    directly: list[bool] = []
    marks = [sign * v for v in values.values() if isinstance(v, int | float) for sign in (1, -1)]
    for condition, a, base in itertools.product(result, tensors, _bases(meaning, tensors, rng)):
        if is_mask(meaning.entry, a):
            continue
        for zero in zeros(condition.difference, a.name, {**values, **base, "grad": 1.0}, marks):
            beside = BESIDE * max(1.0, abs(zero))
            rows += [{**base, a.name: v} for v in (zero, zero - beside, zero + beside)]
            rows += [{**base, a.name: np.nextafter(zero, towards)} for towards in (-np.inf, np.inf)]
            directly += [False, False, False, True, True]
    unique = {tuple(row.items()): yes for row, yes in zip(rows, directly, strict=True)}
    table = [dict(row) for row in unique]
    kinds = {a.name: bool if is_mask(meaning.entry, a) else float for a in tensors}
    columns = {name: np.array([row[name] for row in table], kind) for name, kind in kinds.items()}
    return columns, np.array(list(unique.values()), bool)


def _bases(meaning: Meaning, tensors: list[Argument], rng: np.random.Generator) -> list[dict[str, Any]]:
    fixed = [-1.0, 0.0, 0.7, 2.0] if len(tensors) > 1 else [0.0]
    return [
        {a.name: bool(k % 2) if is_mask(meaning.entry, a) else v + 0.1 * rng.random() * (v != 0) for a in tensors}
        for k, v in enumerate(fixed)
    ]
