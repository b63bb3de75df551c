"""Do two libraries compute the same? Samples of what a workload has computed, and how far those of two are apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy

MAX_COMPARED_ELEMENTS = 500  # elements of a result that are compared, from all parts of it
TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "bfloat16": 0.1, "float16": 0.01}  # of the largest number
FLOAT32 = 2e-3  # for everything else: gradients of deep networks are sums of many roundings


class Sample(NamedTuple):
    """Some elements of one result."""

    dtype: str
    shape: list[int]
    values: list[float]


def samples(step: Callable[[], object]) -> list[Sample]:
    """Samples of all that a step gives: its value, or what its `results` does after a call."""
    value = step()
    return [sample(each) for each in flat(getattr(step, "results", lambda: value)())]


def flat(value: Any) -> Iterator[Any]:
    """The tensors and arrays in nested tuples and lists."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from flat(each)
    elif value is not None:
        yield value


def sample(result: Any) -> Sample:
    """At most MOST elements of a tensor or array, at equal distances."""
    dtype = str(result.dtype).rpartition(".")[2]
    if hasattr(result, "detach"):
        result = result.detach()
        result = (result.float() if dtype == "bfloat16" else result).numpy()
    array = numpy.asarray(result)
    values = numpy.ascontiguousarray(array.reshape(-1)[:: max(1, array.size // MAX_COMPARED_ELEMENTS)])
    if values.dtype.kind == "c":
        values = values.view(values.real.dtype)
    return Sample(dtype, list(array.shape), values.astype(float).tolist())


def difference(first: Sequence[Sample], second: Sequence[Sample]) -> str:
    """In what two libraries' results differ; empty where they are equal but for roundings."""
    if len(first) != len(second):
        return f"{len(first)} results and {len(second)}"
    largest = max((abs(v) for each in second for v in finite(each)), default=0.0)
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return f"result {number}: {one.dtype} {one.shape} and {other.dtype} {other.shape}"
        a, b = numpy.array(one.values), numpy.array(other.values)
        # What is small beside the other results of its workload may be nothing but rounding.
        scale = max([abs(v) for v in finite(other)] + [1e-2 * largest])
        allowed = scale * TOLERANCE.get(one.dtype, FLOAT32) if "float" in one.dtype or "complex" in one.dtype else 0
        with numpy.errstate(invalid="ignore"):
            wrong = ~((numpy.abs(a - b) <= allowed) | (a == b) | (numpy.isnan(a) & numpy.isnan(b)))
        if wrong.any():
            worst = int(wrong.argmax())
            return f"result {number}: {a[worst]:.6g} and {b[worst]:.6g}, {int(wrong.sum())} of {wrong.size} differ"
    return ""


def finite(each: Sample) -> list[float]:
    """The values without infinities and what is no number."""
    return [value for value in each.values if abs(value) < float("inf")]
