"""Check of dtype and shape of results, the in-place variant, numbers as operands, and operands of any memory layout."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.tensor.dtypes import dtype
from specgrad.runtime.tensor.tensor import adopt, alias, share

from ...spec.fields import WITHOUT_GRADIENT
from ..calls.findings import Report, error_message, on_purpose, worst
from ..calls.point import Point, gradients, recording
from .forward import check_forward
from .masks import compare, compare_leaves, same, scale_of
from .reverse import check_reverse

RESULTS = {name: np.dtype(name) for name in WITHOUT_GRADIENT}


def check_results(point: Point, report: Report) -> None:
    tensors = point.tensors([False] * len(point.leaves))
    result = point.call(tensors)
    report.checks += 1
    operands = [*tensors, *point.constants]
    for output, rule in zip(result, point.op.result_dtype, strict=False):
        requested = _promised(rule, list(point.arguments.values()), operands)
        if requested is not None and output._dtype.np != requested:
            report.find(point.op, "", f"at {point} its dtype is {output._dtype.np}, not {requested}", "result")
    if point.op.kind == "elementwise":
        shape = np.broadcast_shapes(*(t.shape for t in operands))
        if tuple(result[0].shape) != shape:
            report.find(point.op, "", f"at {point} its shape is {tuple(result[0].shape)}, not {shape}", "result")


def _promised(rule: str, arguments: Sequence[Any], tensors: Sequence[Any]) -> np.dtype | None:
    if rule in RESULTS:
        return RESULTS[rule]
    args = [v for v in arguments if isinstance(v, dtype)]
    if args:
        return args[0].np
    floats = [t.array.dtype for t in tensors if t.array.dtype.kind in "fc"]
    if not floats:
        return None
    return {"real": np.dtype(np.float64), "complex": np.dtype(np.complex128)}.get(rule, np.result_type(*floats))


def check_inplace(point: Point, report: Report) -> None:
    op = point.op
    first = point.arguments.get("self")
    if op.inplace is None or first not in point.leaves:
        return
    tensors = point.tensors()
    right = point.call(tensors)[0]
    if tuple(right.shape) != first.array.shape or (right.requires_grad and right._dtype.np != first.array.dtype):
        return
    report.checks += 1
    number = point.leaves.index(first)
    value = point.tensors()
    written = [t.clone() if i == number else t for i, t in enumerate(value)]
    result = point.call(written, op.inplace)[0]
    values = right.detach().array.astype(first.array.dtype)
    if result is not written[number] or not same(result.detach().array, values):
        _report_values(point, "in-place variant", result.detach().array, values, report)
    elif right.requires_grad and point.op.outputs[0]:
        seed = point.seed(right)
        match, requested = gradients([result], value, [seed]), gradients([right], tensors, [seed])
        about, scale = "compared with the plain call", scale_of(requested, [seed])
        compare_leaves(point, "in-place variant, gradient", about, match, requested, report, scale)


def check_layouts(point: Point, report: Report) -> None:
    """Not for ops on the memory itself, which show something else then; what may give views may refuse a layout."""
    on_memory = any(name == "storage_offset" for name, *_ in point.op.arguments)
    if on_memory or "(a!" in point.op.schema or not any(a.size > 1 for a in point.arrays):
        return
    for kind, with_layout in LAYOUTS.items():
        _check_layout(point, kind, with_layout, report)


def _check_layout(point: Point, kind: str, with_layout: Callable[[np.ndarray], np.ndarray], report: Report) -> None:
    report.checks += 1
    strided_run = recording([share(with_layout(array)) for array in point.arrays])
    tensors = recording([adopt(np.array(tensor.array, order="C")) for tensor in strided_run])
    values = _values(point, tensors)
    if values is None:
        return
    moved = _values(point, strided_run) if "(a" in point.op.schema else point.call(strided_run)
    if moved is None:
        moved, strided_run = values, tensors  # then the gradients alone lie in another way
    if any(_differ(point, f"result for {kind} operands", a, b, report) for a, b in zip(moved, values, strict=True)):
        return
    right, result = point.outputs(tensors), point.outputs(strided_run)
    seeds = point.seeds(right)
    requested = gradients(right, tensors, seeds)
    try:
        value = gradients(result, strided_run, [share(scattered(s.array)) for s in seeds])
    except Exception as error:
        argument = point.leaves[0].argument
        report.find(point.op, argument, f"the gradient for {kind} operands, at {point}: {error_message(error)}")
        return
    about, scale = "compared with contiguous ones", scale_of(requested, seeds)
    compare_leaves(point, f"gradient for {kind} operands", about, value, requested, report, scale)


def check_number(point: Point, report: Report) -> None:
    if not point.op.takes_number or point.is_complex or len(point.leaves) != 2 or not point.arrays[1].size:
        return
    report.checks += 1
    number = float(point.arrays[1].flat[0])
    x = point.tensors()[0]
    got, right = (point.call([x, other])[0] for other in (number, adopt(np.array(number))))
    if _differ(point, "result for a number", got, right, report):
        return
    if got.requires_grad:
        seed = point.seed(got)
        result, requested = gradients([got], [x], [seed])[0], gradients([right], [x], [seed])[0]
        about, scale = "compared with a 0-d tensor", scale_of([requested, seed])
        compare(point, "self", "gradient for a number", about, result, requested, report, scale)


def check_commutative(point: Point, report: Report) -> None:
    if not point.op.commutative or len(point.arguments) != 2:
        return
    report.checks += 1
    x, y = point.tensors() or point.constants
    _differ(point, "commutative: result", point.op.function(y, x), point.op.function(x, y), report)


def scattered(array: np.ndarray) -> np.ndarray:
    if array.ndim > 1:
        return np.asfortranarray(array)
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 0] = array
    return wide[..., 0]


def expanded(array: np.ndarray) -> np.ndarray:
    return np.broadcast_to(array[:1], array.shape) if array.ndim else array


LAYOUTS = {"strided": scattered, "expanded": expanded}


def _values(point: Point, tensors: Sequence[Any]) -> tuple[Any, ...] | None:
    try:
        return point.call(tensors)
    except Exception as error:
        if on_purpose(error):
            return None
        raise


def _differ(point: Point, kind: str, got: Any, right: Any, report: Report) -> bool:
    a, b = got.detach().array, right.detach().array
    if not same(a, b):
        _report_values(point, kind, a, b, report)
    return not same(a, b)


def _report_values(point: Point, kind: str, got: np.ndarray, right: np.ndarray, report: Report) -> None:
    if got.shape != right.shape:
        text = f"at {point} its shape is {got.shape}, not {right.shape}"
    elif same(got, right):
        text = f"at {point} it does not return the tensor it writes to"
    else:
        index, shown, requested = worst(got, right)
        text = f"at {point} element {list(index)} is {shown}, not {requested}"
    report.find(point.op, "", text, kind)


BEFORE, AFTER = 4, 5  # elements of the memory around those of the tensor; pairs of numbers begin at even places


class Displaced(Point):
    @property
    def arrays(self) -> list[np.ndarray]:
        return [displaced(leaf.array) for leaf in self.leaves]

    def over(self, array: np.ndarray) -> Any:
        memory = array if array.base is None else array.base
        return alias(adopt(memory), array.shape, tuple(step // array.itemsize for step in array.strides), BEFORE)

    def __str__(self) -> str:
        return f"{super().__str__()} of a part of larger memory"


def displaced(array: np.ndarray) -> np.ndarray:
    """A copy inside larger memory, whose other elements repeat its own."""
    memory = np.resize(array, BEFORE + array.size + AFTER) if array.size else np.zeros(BEFORE + AFTER, array.dtype)
    memory = memory.copy()
    memory[BEFORE : BEFORE + array.size] = array.reshape(-1)
    return memory[BEFORE : BEFORE + array.size].reshape(array.shape)


def check_displaced(point: Point, report: Report) -> None:
    if point.op.kind != "view":
        return
    moved = Displaced(point.op, point.text, point.hard, point.is_complex)
    check_reverse(moved, report)
    check_forward(moved, report)
