"""Check 8: dtypes. Integers count as the numbers that they are, complex numbers are refused where the entry leaves them
out, and what the entry states under `gives` comes out.

An op may give integers for integers, or floats; never other numbers than for the same numbers as float64. So a
promotion rule that loses what the op computes needs no statement to be found. An op that is meant to round, as powers
do, states that it gives integers: then what no integer can be is not compared. Which of two harmless rules an op
follows is a convention: that is what `gives` is for, in words that `dtype` does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from specgrad.runtime import dtypes

from .keys import REFUSED
from .verify_masks import worst_index
from .verify_report import Finding, Report, both, place_of
from .verify_typed import TypedCall, in_dtype, typed_calls

CLOSE = 1e-4  # of the largest, or of 1: what float32 may lose in any op of samples of this size


def check_dtypes(op: Any, report: Report) -> None:
    """The first of an op's calls with the most tensors, in several dtypes; nothing of ops without a tensor to vary."""
    call = next(iter(typed_calls(op)), None)
    if call is None or not call.tensors:
        return
    for words, wanted in op.gives.items():
        _check_stated(call, words, wanted, report)
    if op.kind in ("elementwise", "kernel"):
        _check_refused(call, report)
        for kind in (dtypes.int32, dtypes.bool_):
            _check_integers(call, kind, report)


def _check_stated(call: TypedCall, words: str, wanted: str, report: Report) -> None:
    """What `gives` says of some dtypes; one word stands for all outputs."""
    report.checks += 1
    try:
        names = [output._dtype.name for output in call.outputs(call.values(list(named(words))))]
    except Exception as error:
        found = f"raises {type(error).__name__}" if wanted != REFUSED else ""
    else:
        right = wanted.split() if " " in wanted else [wanted] * len(names)
        found = f"gives {' '.join(dict.fromkeys(names) if ' ' not in wanted else names)}" if names != right else ""
    if found:
        text = (
            f"({call.text}) {found} for {words}, where the entry says {wanted} (see keys dtype, dtypes, result_dtype)"
        )
        report.add(Finding(place_of(call.op, "gives"), call.op.name, "dtypes", text))


def _check_refused(call: TypedCall, report: Report) -> None:
    """Complex numbers, which nothing turns into real ones, where `dtypes` leaves them out."""
    if "complex" in call.op.dtypes:
        return
    report.checks += 1
    values = [np.asarray(in_dtype(value, dtypes.complex64)) for value in call.values([dtypes.float32])]
    try:
        call.outputs(values)
    except Exception:
        return
    text = f"({call.text}) takes complex64, which dtypes leaves out (see key dtype)"
    report.add(Finding(place_of(call.op, "dtypes"), call.op.name, "dtypes", text))


def _check_integers(call: TypedCall, kind: Any, report: Report) -> None:
    """Integers against the same numbers as float64, where the op takes both; bools that stay bools are no numbers."""
    values = call.values([kind])
    try:
        found = call.outputs(values)
        right = call.outputs([value.astype(np.float64) for value in values])
    except Exception:  # it takes integers alone, or none
        return
    report.checks += 1
    for got, wanted in zip(found, right, strict=True):
        if not (kind.kind == "b" and got._dtype.kind == "b"):
            _compare(call, kind, got, wanted.array, report)


def _compare(call: TypedCall, kind: Any, got: Any, wanted: np.ndarray, report: Report) -> None:
    a, b = got.array, wanted
    if a.shape == b.shape and got._dtype.kind in "bi" and kind.name in call.op.gives:
        a, b = _whole(a, b)
    if a.shape == b.shape and same(a, b):
        return
    text = f"its shape is {a.shape}, with the same numbers as float64 {b.shape}"
    if a.shape == b.shape:
        worst = worst_index(a, b)
        text = "element {} is {}, with the same numbers as float64 {}".format(
            list(map(int, worst)), *both(a[worst], b[worst])
        )
    about = f"({call.text}) in {kind.name} gives {got._dtype.name}: {text} (see key dtype)"
    report.add(Finding(place_of(call.op, "dtype"), call.op.name, "dtypes", about))


def _whole(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The elements that an integer result can hold: where the right one is whole, and small enough for int32."""
    fits = np.isfinite(b) & (b == np.rint(b.real)) & (np.abs(b) < 2**31)
    return a[fits], b[fits]


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal as far as float32 goes, which takes for 0 what is near it."""
    finite = np.abs(b[np.isfinite(b)])
    scale = max(1.0, float(finite.max(initial=0.0)))
    wide = np.complex128
    return bool(np.allclose(a.astype(wide), b.astype(wide), rtol=CLOSE, atol=CLOSE * scale, equal_nan=True))


def named(words: str) -> Iterator[Any]:
    """The dtypes that some words name."""
    return map(dtypes.from_name, words.split())
