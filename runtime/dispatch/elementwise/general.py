"""The general path of element-wise ops: promotion, broadcasting, any layout; then one kernel over flat arrays.

Generated functions come here when native code answers None: for other dtypes and layouts, and under watchers."""

import functools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from math import prod
from typing import Any, NamedTuple

from ...autograd.inplace import write
from ...autograd.saved_tensors import NUMBER
from ...autograd.version_counter import note_write
from ...device.device import CPU, META
from ...errors import DtypeError, UnsupportedDtypeError
from ...fast_path import fast_path, keep_launch
from ...kernels.cpu.elementwise_table import ElementKernels as Kernels
from ...shapes import Shape, broadcast_shapes
from ...tensor import dtypes
from ...tensor.dtypes import FLOAT8, dtype
from ...tensor.layouts import relaid
from ...tensor.memory import cast, copy_cast, empty
from ...tensor.memory_format import ordered_strides
from ...tensor.overrides import plain
from ...tensor.tensor import TensorBase, adopt, alias, from_flat
from ..destinations import takes_directly
from ..devices import brought, device_of
from ..errors import reraise
from ..python_integers import as_integers, wrapped_integer
from ..shape_rules import fitting_number
from .strided import Values, launch, launch_into, note_rows, note_rows_of_converted, permuted_layout, result_order

FIXED = {"bool": dtypes.bool_, "int32": dtypes.int32, "int64": dtypes.int64}  # results of one dtype, whatever goes in
KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}
ALL_KINDS = tuple(KINDS.values())


elementwise_ops: "dict[str, Elementwise]" = {}  # by the names of their kernels


@dataclass(slots=True, eq=False, repr=False)
class Elementwise:
    """An element-wise op: names, dtype rules, kernels; one for each, in `generated/kernels`.

    `raw` marks tensors that are neither promoted nor cast (masks); `allowed` the kinds of dtype, () for all; `moves`
    the tensor whose elements are the results; `overwrites`: the op exists only in place; `fitting`: numbers must be
    ones that the dtype has; `alike`: masks have the shape of the other tensors. For native code: `integral_kinds`, "i"
    int64, "p" with positive ones as the second tensor or numbers, "b" bools; `converts`, which operands are converted
    to the dtype of the others: "i" integers and floats, "b" bools; `complexes`. `refuses` names tensors that have no
    gradient though they might. `launch`, `launch_in_place`, `launch_out` and `gradients` are native functions of
    `operands` and `numbers`, made when they are first asked for. `node` is the class of the op's nodes."""

    package: InitVar[str]
    name: str
    family: InitVar[str]
    kernel: InitVar[str]
    rule: str
    result_dtypes: tuple[str, ...] = ("same",)
    allowed: tuple[str, ...] = ()
    raw: tuple[bool, ...] = ()
    operands: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    takes_number: bool = False
    moves: int | None = None
    overwrites: bool = False
    refuses: tuple[str, ...] = ()
    fitting: bool = False
    alike: bool = False
    integral_kinds: str = ""
    converts: str = ""
    complexes: bool = False
    node: Any = None
    rows: dict[Any, Any] = field(default_factory=dict)  # of two layouts, for native code: see run_rows
    launches: defaultdict[Any, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict))  # by the kernel
    kernels: Kernels = field(init=False)
    launch: Any = field(init=False)
    launch_in_place: Any = field(init=False)
    launch_out: Any = field(init=False)
    gradients: Any = field(init=False)

    def __post_init__(self, package: str, family: str, kernel: str) -> None:
        self.kernels = Kernels(package, family, kernel)
        elementwise_ops.setdefault(kernel, self)

    def __getattr__(self, name: str) -> Any:
        if name not in ("launch", "launch_in_place", "launch_out", "gradients"):
            raise AttributeError(name)
        launch = fast_path().element_wise(self, name)
        if name != "gradients":
            return keep_launch(self, name, launch)
        self.gradients = launch
        return launch

    def is_raw(self, index: int) -> bool:
        return bool(self.raw) and self.raw[index]


def compute_dtype(rule: str, name: str, values: Sequence[Any], allowed: tuple[str, ...] = ()) -> dtype:
    result = dtypes.result_type(*(values[:1] if rule == "same" else values))
    if result in FLOAT8 and rule in ("float", "accumulate"):
        raise UnsupportedDtypeError(f"{name}(): not implemented for '{result.scalar_type}'")
    if rule == "float" and result.kind in "bi":
        result = dtypes.get_default_dtype()
    elif rule == "accumulate" and result.kind in "bi":
        result = dtypes.int64
    check_kind(name, result, allowed)
    return result


def computing(op: Elementwise) -> tuple[str, ...]:
    """All kinds of dtype for an op that makes new numbers, () for one that moves, writes or compares given ones."""
    return () if op.moves is not None or op.overwrites or op.result_dtypes[0] == "bool" else ALL_KINDS


def check_kind(name: str, result: dtype, allowed: tuple[str, ...]) -> None:
    """In 8-bit floats what takes only some kinds does not compute."""
    if allowed and (KINDS[result.kind] not in allowed or result in FLOAT8):
        raise UnsupportedDtypeError(
            f"{name}(): expected a dtype of kind {' or '.join(allowed)}, but got {result!r}: not implemented for "
            f"'{result.scalar_type}'"
        )


def result_dtype(rule: str, computed: dtype) -> dtype:
    if rule == "same":
        return computed
    if rule == "computed":
        return computed.compute
    if rule == "real":
        return computed.to_real()
    if rule == "complex":
        return computed.to_complex()
    return FIXED[rule]


def run(op: Elementwise, name: str, operands: tuple[Any, ...], scalars: tuple[Any, ...] = (), into: Any = None) -> Any:
    """`into`: of in-place and out= forms.

    Returns the result and the operands, numbers among them having become 0-d tensors of the computation's dtype."""
    device = device_of(name, operands)
    if device is not CPU:
        operands = brought(operands, device)
    computed = native_dtype(op, operands, scalars)
    if computed is None:
        taking_part = [v for i, v in enumerate(operands) if not op.is_raw(i)]
        taking_part += [s.value for s in scalars if type(s) is Promoting and s.value is not None]
        computed = compute_dtype(op.rule, name, taking_part, op.allowed or computing(op))
    shape = broadcast_shapes(name, *[t._shape for t in operands if isinstance(t, TensorBase)])
    if computed.kind == "i":
        operands, computed = as_integers(op, name, operands, computed)
    final = result_dtype(op.result_dtypes[0], computed)
    try:
        to, raw = computed.compute.np, op.raw
        numbers = [as_number(name, s, computed) for s in scalars]
        read_dtypes = [None if own else to for own in raw] if raw else [to] * len(operands)
        attribute = "forward_complex" if computed.kind == "c" else "forward"
        in_rows = into is not None or (device is not CPU and device is not META)
        order = None if in_rows else order_of_result(operands, shape)
        if device is CPU:
            if into is not None and written_at_once(op, attribute, operands, read_dtypes, numbers, into, shape, final):
                note_write(into, name)
                return into, with_constants(operands, computed)
            flat = empty(prod(shape), final.compute.np, device)
            single = isinstance(operands[0], TensorBase) and not any(isinstance(v, TensorBase) for v in operands[1:])
            if single and operands[0]._strides is not None:
                note_rows(op, operands, len(numbers))
            elif len(operands) == 2 and not raw:
                note_rows_of_converted(op, operands, computed, len(numbers))
            if order is None:
                launch(op.kernels, attribute, operands, read_dtypes, shape, numbers, (flat,))
            else:
                launch(op.kernels, attribute, *in_order(operands, read_dtypes, shape, order), numbers, (flat,))
            result = from_flat(flat if flat.dtype is final.np else cast(flat, final.np), shape, final)
        else:
            from .device_launch import computed_on_device  # loaded with the first device

            result = computed_on_device(op, name, attribute, operands, read_dtypes, shape, numbers, final, into)
        result = result if order is None else relaid(result, ordered_strides(shape, order))
    except Exception as error:
        reraise(name, error, operands)
    if into is not None and result is not into:
        result = write(name, into, result)
    return result, with_constants(operands, computed)


def order_of_result(operands: tuple[Any, ...], shape: Shape) -> tuple[int, ...] | None:
    """In which order the dimensions of a result lie in memory, by the strides of operands; None for that of rows."""
    if all(not isinstance(v, TensorBase) or v._strides is None for v in operands):
        return None
    return result_order(shape, tuple([(v._shape, v._strides) for v in operands if isinstance(v, TensorBase)]))


def in_order(operands: Values, read_dtypes: Values, shape: Shape, order: Sequence[int]) -> tuple[Values, Values, Shape]:
    def permuted(v: Any) -> Any:
        own = isinstance(v, TensorBase) and v._shape
        return alias(v, *permuted_layout((v._shape, v._strides), shape, tuple(order)), v._offset) if own else v

    return [permuted(v) for v in operands], read_dtypes, tuple([shape[dim] for dim in order])


def written_at_once(
    op: Elementwise,
    attribute: str,
    operands: Any,
    read_dtypes: Values,
    numbers: Values,
    into: Any,
    shape: Shape,
    final: dtype,
) -> bool:
    if into._device is not CPU or not takes_directly(into, operands, shape, final):
        return False
    moved = None if op.moves is None else operands[op.moves]
    if isinstance(moved, TensorBase) and (final.compute is final or moved._dtype in (final, final.compute)):
        copy_cast(into.array, moved.array)
        return True
    note_rows(op, operands, len(numbers))
    return final.compute is final and launch_into(op.kernels, attribute, operands, read_dtypes, shape, numbers, into)


def with_constants(operands: tuple[Any, ...], computed: dtype) -> tuple[Any, ...]:
    return tuple([v if isinstance(v, TensorBase) else constant(v, computed) for v in operands])


def standing_for(value: Any, beside: Any) -> Any:
    """A 0-d tensor for a number in front of a host tensor of floats; a tensor itself; None for any other value."""
    if value.__class__ in plain and isinstance(value, TensorBase):
        return value
    if (value.__class__ is not float and value.__class__ is not int) or not beside._dtype.native:
        return None
    return constant(value, beside._dtype) if beside._device is CPU and abs(value) < MAX_F32 else None


def constant(value: Any, dtype: dtype) -> Any:
    """A 0-d tensor that stands for a number in the graph; shared, for nobody writes to it."""
    value = float(value) if dtype.kind == "f" else value  # NumPy has no dtype for huge integers
    return shared_constant(value, dtype) if value else wrapped(value, dtype)  # as keys 0.0 and -0.0 are equal


def wrapped(value: Any, dtype: dtype) -> Any:
    """It can be told from one of the user's by its count of writes, that of all numbers."""
    tensor = adopt(value, dtype)
    tensor._version_counter = NUMBER
    return tensor


MAX_F32 = 3e38  # in magnitude, of what float32 has
shared_constant = functools.lru_cache(maxsize=1024)(wrapped)


def native_dtype(op: Elementwise, operands: tuple[Any, ...], scalars: tuple[Any, ...]) -> dtype | None:
    """Where all tensors have it and all numbers are real no rule need be asked."""
    result = None
    for i, value in enumerate(operands):
        kind = value.__class__
        if kind is float or kind is int:
            continue
        if kind is complex or kind is bool or value is None:
            return None
        if op.raw and op.raw[i]:
            continue
        own = value._dtype
        if not own.native or (result is not None and own is not result):
            return None
        result = own
    if scalars and any(isinstance(s.value, complex) for s in scalars if type(s) is Promoting):
        return None
    return result if not op.allowed or "float" in op.allowed else None


class Promoting(NamedTuple):
    """A scalar argument that takes part in promotion, as a positional one does."""

    value: Any
    wraps: bool = False  # modulo 2^bits beside integers, as a second operand does


def as_number(name: str, scalar: Any, computed: dtype) -> Any:
    value = scalar.value if type(scalar) is Promoting else scalar
    if value is None or isinstance(value, str) or type(value) is bool:
        return value
    if computed.kind == "c":
        return complex(value)
    if isinstance(value, complex):
        raise DtypeError(f"{name}(): for {computed!r} tensors expected a real number, but got {value}")
    if computed.kind == "f":
        return float(value)
    if isinstance(value, float) and not value.is_integer():
        raise DtypeError(f"{name}(): for {computed!r} tensors expected an integer, but got {value}")
    if type(scalar) is Promoting and scalar.wraps:
        return wrapped_integer(name, int(value), computed)
    return fitting_number(name, "value", value, computed)
