"""The points at which an entry is looked at: spread over its domain, and on the boundaries of its conditions."""

import ast
import itertools
import zlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..language.scalar_functions import Functions
from ..spec.model import Argument, Entry
from .algebra import Atom, Sum
from .cases import numeric
from .numbers import Points

COUNT = 4_000
SPECIAL = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0)
SCALES = (0.1, 1.0, 10.0, 60.0)
NUMERIC = ("Tensor", "Scalar", "float", "int", "bool")  # types of arguments


def sample_points(entry: Entry) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(zlib.crc32(entry.name.encode()))
    numeric_arguments = [a for a in entry.schema.arguments if a.type.base in NUMERIC and not a.type.is_list]
    points = {a.name: _column(entry, a, rng) for a in numeric_arguments}
    points["grad"] = rng.normal(size=COUNT) + 3.0
    return points


def is_mask(entry: Entry, argument: Argument) -> bool:
    return argument.type.base == "bool" or (argument.type.is_tensor and argument.name in entry.masks)


def _column(entry: Entry, argument: Argument, rng: np.random.Generator) -> np.ndarray:
    if is_mask(entry, argument):
        return rng.integers(0, 2, COUNT).astype(bool)
    if argument.name in entry.domain:
        low, high = entry.domain[argument.name]
        return _with_specials(rng.uniform(low, high, COUNT), [v for v in SPECIAL if low <= v <= high], rng)
    if argument.type.is_tensor:
        return _with_specials(rng.normal(size=COUNT) * rng.choice(SCALES, COUNT), SPECIAL, rng)
    args = list(_example_values(entry, argument))
    if argument.type.base == "int":
        return rng.choice([int(v) for v in args] or [0, 1, 2, 3], COUNT)
    if not args:
        return _with_specials(rng.normal(size=COUNT) * 3, SPECIAL, rng)
    return np.asarray(rng.choice(args, COUNT) * np.where(rng.random(COUNT) < 0.5, 1.0, rng.uniform(0.5, 2, COUNT)))


def _with_specials(numbers: np.ndarray, specials: Iterable[float], rng: np.random.Generator) -> np.ndarray:
    chosen = list(specials)
    if not chosen:
        return numbers
    return np.where(rng.random(numbers.size) < 0.125, rng.choice(chosen, numbers.size), numbers)


def _example_values(entry: Entry, argument: Argument) -> Iterator[float]:
    nodes = [sample.arguments.get(argument.name) for sample in (*entry.samples, *entry.hard)]
    if argument.default is not None:
        nodes.append(ast.parse(argument.default, mode="eval").body)
    for node in nodes:
        try:
            value = None if node is None else ast.literal_eval(node)
        except ValueError:
            continue
        if isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value):
            yield float(value)


def boundary(
    differences: Iterable[Sum], points: Points, tensors: Sequence[str], numbers: Sequence[str], own: Functions
) -> dict[str, np.ndarray]:
    """Points where a difference is 0: a variable that is linear there moves; a number, if compared with a constant."""
    first_points = {name: array[:200] for name, array in points.items()}
    matches: list[dict[str, np.ndarray]] = []
    for difference, name in itertools.product({d.key: d for d in differences}.values(), (*tensors, *numbers)):
        atoms = difference.atoms()
        if Atom("variable", name) not in atoms or (name in numbers and len(atoms) > 1):
            continue
        at = [numeric(difference, {**first_points, name: np.full(200, float(v))}, own) for v in (0, 1, 2)]
        with np.errstate(all="ignore"):
            there = -at[0] / (at[1] - at[0])
            moved = {**first_points, name: there}
            linear = np.isclose(at[2] - at[1], at[1] - at[0]) & np.isfinite(there)
            exact = linear & (numeric(difference, moved, own) == 0)
        matches.append({key: array[exact] for key, array in moved.items()})
    return {name: np.concatenate([part[name] for part in matches] or [points[name][:0]]) for name in points}


def corners(points: Points, tensors: Sequence[str]) -> dict[str, np.ndarray]:
    grid = np.array(list(itertools.product((*SPECIAL, -0.0), repeat=min(len(tensors), 3)))).T
    count = grid.shape[1] if tensors else 0
    first_points = {name: np.resize(array, count) for name, array in points.items()}
    return {**first_points, **dict(zip(tensors, grid, strict=False))}
