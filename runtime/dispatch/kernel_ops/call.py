"""The general path of an op that has a kernel of its own, of any dtype and layout, for arguments that are checked."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...autograd.inplace import write
from ...autograd.not_differentiable import record_undefined
from ...autograd.version_counter import note_write
from ...tensor.dtypes import dtype
from ...tensor.grad_mode import mode
from ...tensor.layouts import agreeing, formatted, in_rows, is_in_rows, keeps_rows, memory_format_of, memory_formats_of
from ...tensor.observers import watch
from ...tensor.tensor import adopt
from ..destinations import is_writable
from ..devices import at, at_first
from ..elementwise.general import result_dtype
from ..errors import reraise
from .general import array_in, arrays_in, computed_dtype, outputs, stored_in
from .kernel_op import KernelOp

TENSORS, LISTS = "TOIR", "LJlj"  # kinds of arguments; of lists small letters are those without plans
OWN_DTYPE = "IRJj"  # that keep their dtype
AS_SOURCE = "*"  # in the place of a memory format: as the first operand lies


class Conversion(NamedTuple):
    """How a tensor, or a list of them, becomes what a kernel takes."""

    operand: int
    make: Callable[..., Any]
    keeps_dtype: bool


class Signature(NamedTuple):
    """What follows of the arguments of an op, by their numbers: worked out once."""

    operands: tuple[int, ...] | None  # those that the kernel takes; None for all
    dtype: int | None
    memory_format: int | None
    first: int  # the operand that says on which device the kernel runs
    tensors: tuple[int, ...]
    lists: tuple[int, ...]
    promoted: tuple[int, ...]  # operands that have a say in the dtype of the computation; those of lists as well
    arrays: tuple[Conversion, ...]  # of the operands that become arrays
    formats: tuple[int, ...]  # operands whose memory format the results take over
    is_simple: bool  # neither dtype nor memory format are asked for
    computes_in_first: bool  # whether a native dtype of the first operand is that of the computation
    results: tuple[str, ...] | None  # words for the dtypes of the results; None where all are that of the computation


def call(op: KernelOp, name: str, unchecked: Sequence[Any], arguments: Sequence[Any], into: Any = None) -> Any:
    """The result of an op, or its results: by a plan if there is one, else by its kernel; recorded.

    Args:
        op: what is known of it.
        name: as the caller has called it, for errors.
        unchecked: the operands as they came: native code is to find the plan by them.
        arguments: all arguments, as they were checked.
        into: the tensor that the result is written to.
    """
    own = op.signature or _signature_of(op)
    operands = arguments if own.operands is None else [arguments[i] for i in own.operands]
    results = None
    if into is None and op.is_planned and not watch.every and (own.is_simple or _in_rows(own, arguments, operands)):
        results = op.launch(*operands) if op.after_checks else None
        if results is None and op.remember(unchecked, operands):
            results = op.launch(*operands)
        if results is not None and op.node is op.recorder:
            return results
    if results is None:
        results = _by_kernel(op, name, unchecked, arguments, operands, into)
    if into is not None and results is not into:
        results = write(name, into, results)
    if op.undefined and (mode.grad or watch.active):
        _record_undefined(op, name, results, arguments)
    return results if op.recorder is None else op.recorder.record(results, *arguments, into=into)


def _by_kernel(
    op: KernelOp, name: str, unchecked: Sequence[Any], arguments: Sequence[Any], operands: Sequence[Any], into: Any
) -> Any:
    own = op.signature
    computed = operands[own.first]._dtype if own.computes_in_first else None
    if computed is None or not computed.native:
        computed = _computed(op, name, operands, None if own.dtype is None else arguments[own.dtype])
    try:
        if into is not None and _writes(op, into, operands, computed):
            return _written(op, name, unchecked, operands, computed, into)
        results = _made(op, operands, computed)
        return results if own.is_simple else _in_format(op, name, results, arguments, operands)
    except Exception as error:
        reraise(name, error, arguments)


def _signature_of(op: KernelOp) -> Signature:
    names, kinds = op.arguments or op.operands, op.arg_kinds
    numbers = {name: i for i, name in enumerate(names)}
    tensors = tuple([i for i, kind in enumerate(kinds) if kind in TENSORS])
    lists = tuple([i for i, kind in enumerate(kinds) if kind in LISTS])
    promoted = tuple([i for i, kind in enumerate(kinds) if kind in "TOLl" or op.operands[i] in op.numbers])
    formats = tuple([i for i, name in enumerate(op.operands) if name in op.formats])
    one = stored_in if op.stored else array_in
    in_rows = partial(_array_in_rows, one)
    arrays = []
    for i in sorted((*tensors, *lists)):
        make = arrays_in if i in lists else in_rows if i in formats else one
        arrays.append(Conversion(i, make, kinds[i] in OWN_DTYPE))
    dtype, memory_format = numbers.get("dtype"), numbers.get("memory_format")
    first = min((*tensors, *lists))
    floats = op.rule != "none" and (not op.allowed or "float" in op.allowed)
    op.signature = Signature(
        tuple([numbers[name] for name in op.operands]) if op.arguments else None,
        dtype,
        memory_format,
        first,
        tensors,
        lists,
        promoted,
        tuple(arrays),
        formats,
        dtype is None and memory_format is None and not op.formats,
        floats and dtype is None and promoted == (first,) and kinds[first] == "T",
        tuple(op.dtypes) if {*op.dtypes} - {"same"} else None,
    )
    return op.signature


def _array_in_rows(make: Callable[..., Any], tensor: Any, computed: dtype | None) -> Any:
    return make(in_rows(tensor), computed)


def _in_rows(own: Signature, arguments: Sequence[Any], operands: Sequence[Any]) -> bool:
    """Whether plans make what is asked for: the dtype of the operands, in rows."""
    if own.dtype is not None and arguments[own.dtype] is not None:
        return False
    if own.memory_format is not None:
        return arguments[own.memory_format] is None and keeps_rows(operands[0])
    return not own.formats or is_in_rows(*_sources(own, operands))


def _sources(own: Signature, operands: Sequence[Any]) -> list[Any]:
    """The tensors whose memory format results take over."""
    return [agreeing(operands[i]) if i in own.lists else operands[i] for i in own.formats]


def _computed(op: KernelOp, name: str, operands: Sequence[Any], own_dtype: dtype | None) -> dtype | None:
    if op.rule == "none":
        return None
    own = op.signature
    values: list[Any] = []
    for i in own.promoted:
        if i in own.lists:
            values += operands[i]
        else:
            values.append(operands[i])
    return computed_dtype(name, op.rule, op.allowed, tuple(values), own_dtype)


def _writes(op: KernelOp, into: Any, operands: Sequence[Any], computed: dtype | None) -> bool:
    """Whether a kernel may write the result to `into` itself."""
    own = op.signature
    others = [*(operands[i] for i in own.tensors[1:]), *(t for i in own.lists for t in operands[i])]
    return op.writer is not None and is_writable(into, operands[0], computed, others)


def _made(op: KernelOp, operands: Sequence[Any], computed: dtype | None) -> Any:
    own, arrays = op.signature, [*operands]
    first = operands[own.first]
    kernel = (at_first if own.first in own.lists else at)(first, op.kernel, op.shape)
    for i, make, keeps_dtype in own.arrays:
        arrays[i] = make(operands[i], None if keeps_dtype else computed)
    made = kernel(*arrays)
    if op.outputs == 1:
        return adopt(
            made, computed if computed is None or own.results is None else result_dtype(own.results[0], computed)
        )
    return tuple([adopt(a, computed) for a in made]) if own.results is None else outputs(made, computed, own.results)


def _in_format(op: KernelOp, name: str, results: Any, arguments: Sequence[Any], operands: Sequence[Any]) -> Any:
    own = op.signature
    if own.memory_format is not None:
        return formatted(name, results, operands[0], arguments[own.memory_format])
    if not op.formats:
        return results
    if AS_SOURCE in op.formats:
        return formatted(name, results, operands[0], None)
    return (memory_formats_of if op.outputs > 1 else memory_format_of)(results, *_sources(own, operands))


def _written(
    op: KernelOp, name: str, unchecked: Sequence[Any], operands: Sequence[Any], computed: dtype | None, into: Any
) -> Any:
    """`into`, which has the values of the first operand, after the kernel that writes has written to it."""
    if op.find_in_place is not None:
        op.remember_in_place(unchecked, operands)
    arrays = [*operands]
    for i, make, keeps_dtype in op.signature.arrays[1:]:
        arrays[i] = make(operands[i], None if keeps_dtype else computed)
    op.writer(into.array, *arrays[1:])  # type: ignore[misc]
    note_write(into, name)
    return into


def _record_undefined(op: KernelOp, name: str, results: Any, arguments: Sequence[Any]) -> None:
    named = dict(zip(op.arguments or op.operands, arguments, strict=True))
    each = results if isinstance(results, tuple) else (results,)
    record_undefined(name, each, tuple([named[own] for own in op.undefined]), next(iter(op.undefined.values())))
