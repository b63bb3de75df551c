"""Check 9: an element-wise op in other dtypes than float64, by kernels that run as plain Python.

float32 is compared with float64 where the entry has the flag `precise`, so an expression that overflows or cancels on
the way is found. float16 and bfloat16 are float32, rounded. Integers give what the expression means in whole numbers,
the same in all widths; where that is no whole number, a result that is one is wrong.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.tensor import adopt

from ...proof.numbers import Unknown, evaluate
from ..calls.entries import Meaning, meaning_of
from ..calls.findings import Report, both, on_purpose
from ..calls.interpreted import Plain, plain
from ..calls.point import called
from ..calls.special_values import Setting, settings

ULPS = 8.0
ULPS_OF_DERIVATIVES = 32.0  # formulas of several ops round often
EPSILON = 2.0**-23
LARGEST = 3.4028234e38
SMALLEST_NORMAL = 1.2e-38  # the least number with all digits
MIN_DERIVATIVE = 1e-18  # derivatives below are lost beside those of 1
FLOATS = (0.0, -0.0, 0.3, -0.7, 1.0, -1.0, 1.9, -2.6, 4.3, -9.5, 31.0, -77.0, 1e-3, -1e-6, 1e-20, 1e-25, 1e20, -1e20)
SMALL_INTEGERS = (0, 1, 2, 3, 5, 7)
INTEGERS = ("int64", "int32", "uint8")
HALVES = ("float16", "bfloat16")

Columns = Mapping[str, np.ndarray]
Outputs = dict[str, np.ndarray]
Pair = tuple[np.ndarray, np.ndarray]  # a result and the right one


def check_precision(op: Any, report: Report) -> None:
    meaning = meaning_of(op)
    if meaning is None:
        return
    with plain(op) as kernels:
        for setting in itertools.islice(settings(op, meaning), 2):
            look = Dtypes(op, meaning, setting, kernels, report)
            if "float" in op.dtypes and meaning.entry.precise:
                look.single()
            if "float" in op.dtypes:
                look.halves()
            if "int" in op.dtypes:
                look.integers()


class Dtypes:
    def __init__(self, op: Any, meaning: Meaning, setting: Setting, kernels: Plain, report: Report) -> None:
        self.op, self.meaning, self.kernels, self.report = op, meaning, kernels, report
        self.numbers, self.values = setting
        self.masks = meaning.entry.masks
        self.tensors = [a.name for a in meaning.entry.tensor_arguments]

    # ---- float32 -----------------------------------------------------------------------------------------------------

    def single(self) -> None:
        for kernel in self.loops():
            self.report.checks += 1
            columns = self.columns(FLOATS, np.float32)
            wide = {n: c.astype(np.float64) if c.dtype.kind == "f" else c for n, c in columns.items()}
            requested, result = self.run(kernel, wide), self.run(kernel, columns)
            names = [n for n, c in wide.items() if c.dtype.kind == "f"]
            shifts = [(n, by) for n in (*names, "result") for by in (EPSILON, -EPSILON)]
            moved = [self.run(kernel, wide, {n: 1 + by}) for n, by in shifts]
            for output, right in requested.items():
                sway = np.max([np.nan_to_num(np.abs(m[output] - right), nan=0.0, posinf=np.inf) for m in moved], axis=0)
                self.compare_single(output, (result[output], right), sway, columns)

    def loops(self) -> Iterator[Callable[..., Any]]:
        forward = self.op.result_dtype[0] == "same"
        for name in (*["forward"] * forward, *(f"backward_{mask}" for mask in self.op.masks if mask & (mask - 1) == 0)):
            yield self.kernels.get(name, False)

    def columns(self, numbers: tuple[Any, ...], dtype: Any) -> dict[str, np.ndarray]:
        count = len(numbers)
        rows = np.arange(count ** min(len(self.tensors), 2))
        table = {}
        for k, name in enumerate(self.tensors):
            index = rows % count if k == 0 else (rows // count + (k - 1) * 3 * rows) % count
            column = np.array(numbers, np.float64)[index]
            table[name] = index % 2 == 0 if name in self.masks else column.astype(dtype)
        return table

    def run(self, kernel: Callable[..., Any], columns: Columns, factors: Mapping[str, float] | None = None) -> Outputs:
        dtype = next(c.dtype for c in columns.values() if c.dtype.kind == "f")
        size = len(next(iter(columns.values())))
        arguments = {**columns, "grad": np.ones(size, dtype)}
        parameters = list(inspect.signature(kernel).parameters)
        gradients = [p for p in parameters if p.startswith("grad_")]
        if gradients and "result" in parameters:
            arguments["result"] = self.run(self.kernels.get("forward", False), columns)["result"].astype(dtype)
        arguments |= {n: arguments[n] * by for n, by in (factors or {}).items() if n in arguments}
        outputs = gradients or ["result"]
        arguments |= {p: np.zeros(size, dtype) for p in outputs}
        kernel(*(arguments[p] if p in arguments else self.values[p] for p in parameters))
        return {p: arguments[p].astype(np.float64) for p in outputs}

    def compare_single(self, output: str, pair: Pair, sway: np.ndarray, columns: Columns) -> None:
        result, right = pair
        ulps, smallest = (ULPS, SMALLEST_NORMAL) if output == "result" else (ULPS_OF_DERIVATIVES, MIN_DERIVATIVE)
        allowed = ulps * (EPSILON * np.abs(right) + sway) + smallest
        beyond = (np.abs(right) + allowed >= LARGEST) & (np.isinf(result) | (np.abs(result) > 1e38))
        same = (np.abs(result - right) <= allowed) | (result == right) | (np.isnan(result) & np.isnan(right)) | beyond
        key = "elementwise" if output == "result" else output.removeprefix("grad_")
        subject = "result" if output == "result" else f"gradient of {key}"
        self.find(same, pair, columns, key, f"{subject} in float32", " as in float64")

    # ---- by the op itself --------------------------------------------------------------------------------------------

    def called(self, columns: Mapping[str, np.ndarray], dtype: Any) -> Any:
        tensors = {n: adopt(c) if n in self.masks else adopt(c).to(dtype) for n, c in columns.items()}
        try:
            return called(self.op.function, {**self.numbers, **tensors})[0]
        except Exception as error:
            if on_purpose(error):
                return None
            raise

    def halves(self) -> None:
        columns = self.columns(FLOATS[:14], np.float32)
        for word in HALVES:
            dtype = getattr(dtypes, word)
            self.report.checks += 1
            floats = {n: c for n, c in columns.items() if n not in self.masks}
            rounded = columns | {n: adopt(c).to(dtype).to(dtypes.float32).array for n, c in floats.items()}
            result, requested = self.called(columns, dtype), self.called(rounded, dtypes.float32)
            if result is None or requested is None:
                continue
            right = requested if requested._dtype.kind != "f" else requested.to(dtype)
            if result._dtype is not right._dtype:
                self.add("dtype", f"result in {word}", f"its dtype is {result._dtype!r}, not {right._dtype!r}")
            else:
                value, rounded_once = (each.to(dtypes.float64).array for each in (result, right))
                self.compare_exact(word, "elementwise", value, rounded_once, rounded)

    def integers(self) -> None:
        columns = self.columns(SMALL_INTEGERS, np.int64)
        plain_numbers = [v for v in self.values.values() if isinstance(v, int | float)]
        if any(v < 0 or v != int(v) for v in plain_numbers if np.isfinite(v)):
            return  # what becomes of such a number in whole ones the entry does not say
        try:
            with np.errstate(all="ignore"):
                meant = evaluate(self.meaning.expression, {**self.values, **columns})
                right = np.broadcast_to(meant, len(next(iter(columns.values())))).astype(np.float64)
        except (Unknown, TypeError, ValueError):
            return
        for word in INTEGERS:
            self.report.checks += 1
            result = self.called(columns, getattr(dtypes, word))
            if result is not None and result._dtype.kind in "biu":
                integral = np.isfinite(right) & (np.abs(right) < 100)
                truncates = bool((integral & (right != np.rint(right))).any())
                value, requested = np.where(integral, result.array, 0), np.where(integral, right, 0)
                requested = requested if truncates else requested.astype(result.array.dtype)
                self.compare_exact(word, "dtype" if truncates else "elementwise", value, requested, columns)

    def compare_exact(self, word: str, key: str, result: np.ndarray, right: np.ndarray, columns: Columns) -> None:
        same = (result == right) | (np.isnan(result) & np.isnan(right))
        self.find(same, (result, right), columns, key, f"result in {word}")

    def find(self, same: np.ndarray, pair: Pair, columns: Columns, key: str, subject: str, more: str = "") -> None:
        if not same.all():
            i = int(np.flatnonzero(~same)[0])
            at, shown = ", ".join(f"{n}={c[i]}" for n, c in columns.items()), both(pair[0][i], pair[1][i])
            self.add(key, subject, f"at ({at}) it is {shown[0]}, not {shown[1]}{more}")

    def add(self, key: str, subject: str, text: str) -> None:
        self.report.find(self.op, key, text, subject, size=0.3)
