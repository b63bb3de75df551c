"""Check 1: every gradient formula against central differences of the function, by the entry's policy at kinks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...proof.boundaries import POLICIES
from ...proof.proof import WRONG, Prover
from ...spec.model import Entry
from ..calls.entries import prover_of, spec_entry
from ..calls.findings import Report, both, call_at, element, number, relative_error
from ..calls.finite_differences import Derivatives, derivatives
from ..calls.point import Point, adopt, concatenated, gradients, real, recording

RELATIVE = 1e-7  # allowed error, of the sum of the magnitudes that add up to a gradient
ABSOLUTE = 1e-9
ROUGHLY = 1e-4  # how exactly a gradient has to be one of the derivatives of a kink for a hint


def check_reverse(point: Point, report: Report) -> None:
    tensors, outputs, seeds = point.recorded()
    result = gradients(outputs, tensors, seeds)
    for leaf, gradient in zip(point.leaves, result, strict=True):
        report.checks += 1
        got = (tuple(gradient.shape), gradient._dtype.np)
        if got != (leaf.array.shape, leaf.array.dtype):
            text = f"at {point} it has shape {got[0]} and dtype {got[1]}, not {leaf.array.shape}, {leaf.array.dtype}"
            report.find(point.op, leaf.argument, text, f"gradient of {leaf.argument}")
    arrays = point.arrays
    moved = [point.over(array) for array in arrays]
    table = derivatives(lambda: point.values(moved), arrays, point.kinks)
    begin = 0
    for which, leaf in enumerate(point.leaves):
        report.checks += 1
        size = real(leaf.array).size
        part = Derivatives(*(t[begin : begin + size] for t in (table.value, table.low, table.high, table.noise)))
        begin += size
        if (part.high - part.low > ROUGHLY * (1 + np.abs(part.low) + np.abs(part.high))).any():
            report.kinks.add(point.op.name)
        worst = _worst(concatenated([result[which]]), part, concatenated(seeds), report)
        if worst is not None:
            text, error = _shown(point, which, worst, concatenated([result[which]]), part, concatenated(seeds))
            report.find(point.op, leaf.argument, text, f"gradient of {leaf.argument}", error)


def expected(derivative: np.ndarray, seed: np.ndarray) -> np.ndarray:
    """J^T v by differences; nan where a derivative that takes part is."""
    return np.where(seed == 0, 0, derivative * seed).sum(axis=1)


def _worst(value: np.ndarray, part: Derivatives, seed: np.ndarray, report: Report) -> int | None:
    if value.size == 0:
        return None
    requested = expected(part.value, seed)
    weight = np.where(seed == 0, 0, np.abs(part.value * seed)).sum(axis=1)
    noise = np.where(seed == 0, 0, part.noise * np.abs(seed)).sum(axis=1)
    clipped = bool((seed == 0).any())  # an output is not finite: what it does to a gradient is not comparable
    skipped = ~np.isfinite(requested) | (clipped & ~np.isfinite(value))
    report.undefined += int(skipped.sum())
    excess = np.abs(value - requested) / (RELATIVE * weight + noise + ABSOLUTE)
    excess = np.where(skipped, 0, np.where(np.isfinite(value), excess, np.inf))
    if not clipped:  # where the function is finite a gradient may be infinite, as that of sqrt at 0, but not nan
        excess[np.isnan(value)] = np.inf
    worst = int(np.argmax(excess))
    return worst if excess[worst] > 1 else None


def _shown(
    point: Point, which: int, worst: int, value: np.ndarray, part: Derivatives, seed: np.ndarray
) -> tuple[str, float]:
    leaf = point.leaves[which]
    step = 2 if np.iscomplexobj(leaf.array) else 1
    index = np.unravel_index(worst // step, leaf.array.shape)
    by_number = point.op.kind == "elementwise" and not point.constants
    text, size = single(point, which, index) if by_number else ("", 0.0)
    if not text:
        ways = (value, expected(part.value, seed), *_at_kinks(part, seed))
        got, requested, *others = (as_complex(values, worst // step, step) for values in ways)
        size = relative_error(got, requested)
        text = f"at {element(leaf, index)} of {point} {comparison(got, requested)} (for random output gradients)"
        text += kink_hint(got, requested, others)
    return text, size


def single(point: Point, which: int, index: Sequence[Any]) -> tuple[str, float]:
    arrays = np.broadcast_arrays(*(leaf.array for leaf in point.leaves))
    spots = np.zeros(point.leaves[which].array.shape, bool)
    spots[tuple(index)] = True
    touched = np.argwhere(np.broadcast_to(spots, arrays[0].shape))
    best: tuple[str, float] = ("", 0.0)
    for spot in map(tuple, touched):
        value, requested, at, others = at_numbers(point, which, [a[spot] for a in arrays])
        if is_wrong(value, requested):
            text = f"at {at} {comparison(value, requested)}{kink_hint(value, requested, others)}"
            best = max(best, (text, relative_error(value, requested)), key=lambda pair: pair[1])
    return best


def is_wrong(value: complex, requested: complex) -> bool:
    if np.isnan(requested) or not np.isfinite(value):
        return bool(np.isnan(value) or np.isfinite(requested))
    return abs(value - requested) > RELATIVE * abs(requested) + ABSOLUTE


def at_numbers(point: Point, which: int, values: Sequence[Any]) -> tuple[complex, complex, str, list[complex]]:
    arrays = [np.array(v) for v in values]
    tensors = recording([adopt(a.copy()) for a in arrays])
    outputs = point.outputs(tensors)
    value = gradients(outputs, tensors, [adopt(np.ones((), o._dtype.np)) for o in outputs])[which]
    moved = [adopt(a) for a in arrays]
    table = derivatives(lambda: point.values(moved), [arrays[which]], [point.kinks[which]])
    seed = np.array([1.0, 0.0])[: table.value.shape[1]]
    step = 2 if np.iscomplexobj(arrays[which]) else 1
    ways = (expected(table.value, seed), *_at_kinks(table, seed))
    requested, *others = (as_complex(values, 0, step) for values in ways)
    return as_complex(concatenated([value]), 0, step), requested, call_at(point, values), others


def _at_kinks(part: Derivatives, seed: np.ndarray) -> list[np.ndarray]:
    ways = [part.low, part.high, *(combine(part.low, part.high) for combine in POLICIES.values())]
    return [expected(way, seed) for way in ways]


def kink_hint(value: complex, requested: complex, others: Sequence[complex]) -> str:
    finite = [other for other in others if np.isfinite(other)]
    is_one = any(abs(value - other) <= ROUGHLY * (1 + abs(other)) for other in finite)
    at_a_kink = any(abs(requested - other) > ROUGHLY * (1 + abs(other)) for other in finite)
    hint = " (a one-sided derivative here, but not the one that the entry asks for: see key kink)"
    return hint if is_one and at_a_kink else ""


def as_complex(values: np.ndarray, index: int, step: int) -> complex:
    return complex(values[index]) if step == 1 else complex(values[2 * index], values[2 * index + 1])


def comparison(value: complex, requested: complex) -> str:
    if np.isnan(requested):
        return f"the formula gives {number(value)}, where the function is finite but has no derivative"
    got, want = both(value, requested)
    return f"the formula gives {got}, the function's derivative is {want}"


NEEDLESS = "no call of the entry meets a kink: give one in `edge_cases`, or leave the key out"


def check_kink(op: Any, report: Report) -> None:
    """Either a gradient has been looked at where the function has two derivatives, or algebra tells policies apart.

    It does at small jumps beside which there is another derivative, of which differences say nothing.
    """
    entry = spec_entry(op)
    if entry is None or "kink" not in entry.key_locations or "kink" in entry.inherited:
        return
    report.checks += 1
    if op.name not in report.kinks and not _is_distinguished(entry, prover_of(op.spec)):
        report.find(op, "kink", NEEDLESS)


def _is_distinguished(entry: Entry, prover: Prover) -> bool:
    if entry.compute.kind != "elementwise" or entry.compute.tree is None:
        return False
    others = (replace(entry, kink=(policy,)) for policy in POLICIES)
    return any(verdict.state == WRONG for other in others for verdict in prover.verdicts(other))
