"""The general path of ops with hand-written kernels: which dtype they compute in, arrays in, tensors out."""

import functools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from ...device.device import CPU
from ...errors import DtypeError
from ...fast_path import fast_path, keep_launch
from ...namespace import known
from ...tensor.dtypes import dtype
from ...tensor.memory import cast
from ...tensor.overrides import known as plain
from ...tensor.tensor import TensorBase, adopt
from ..elementwise.general import check_kind, compute_dtype, result_dtype


def computed_dtype(name: str, rule: str, allowed: tuple[str, ...], values: tuple[Any, ...], value: Any = None) -> dtype:
    """The dtype of the computation by the spec's rule; a `dtype=` of the caller's comes first."""
    if value is None and (not allowed or "float" in allowed):
        common = common_native(values)
        if common is not None:
            return common
    values = tuple(v for v in values if v is not None)
    if value is not None:
        check_kind(name, value, allowed)
        return value
    if rule == "match":
        require_equal(name, values)
    if rule in ("match", "same"):
        tensors = [v for v in values if isinstance(v, TensorBase)]
        values = tuple(tensors[:1])
    return compute_dtype(rule, name, values, allowed)


def common_native(values: tuple[Any, ...]) -> dtype | None:
    common = None
    for value in values:
        attribute = getattr(value, "_dtype", None)
        if attribute is None or not attribute.native or (common is not None and attribute is not common):
            return None
        common = attribute
    return common


def require_equal(name: str, values: Sequence[Any]) -> None:
    matches = [v._dtype for v in values if isinstance(v, TensorBase)]
    for other in matches[1:]:
        if other is not matches[0]:
            raise DtypeError(f"{name}(): expected tensors of one dtype, but got {matches[0]!r} and {other!r}")


def in_input_dtype(value: Any, output_mask: Any) -> Any:
    """None where the tensor is for the general path."""
    is_tensor: bool = isinstance(value, TensorBase)
    if not is_tensor or type(value) not in plain or not isinstance(output_mask, dtype):
        return None
    if not output_mask.planned or value._dtype.kind == "c" or value._vmap_level is not None:
        return None
    return value if value._dtype is output_mask else value.to(output_mask)


def array_in(t: Any, computed: dtype | None) -> Any:
    if t is None:
        return None
    array = t._array
    if array is None:
        array = t.array
    if computed is None or t._dtype is computed.compute:
        return array
    return cast(array, computed.compute.np, computed.np)


def stored_in(t: Any, computed: dtype | None) -> Any:
    """`array_in`, but 16-bit floats on the host as they are stored."""
    if t is None or computed is None or t._dtype is not computed or t._device is not CPU:
        return array_in(t, computed)
    if computed.native or not computed.planned:
        return array_in(t, computed)
    return t.array


def stored_of(t: Any, computed: dtype | None) -> Any:
    return stored_in(t, computed) if t is not None and t._dtype is computed else array_of(t, computed)


def array_of(t: Any, computed: dtype | None) -> Any:
    """One of indices or of a mask as it is."""
    return None if t is None else array_in(t, computed if t._dtype is computed else None)


def arrays_of(tensors: Sequence[Any], computed: dtype) -> list[Any]:
    return [array_of(t, computed) for t in tensors]


def arrays_in(tensors: Sequence[Any], computed: dtype | None) -> list[Any]:
    return [array_in(t, computed) for t in tensors]


def outputs(arrays: tuple[Any, ...], computed: dtype | None, rules: tuple[str, ...]) -> tuple[Any, ...]:
    kinds = (computed if computed is None or rule == "same" else result_dtype(rule, computed) for rule in rules)
    return tuple([adopt(array, kind) for array, kind in zip(arrays, kinds, strict=True)])


RETURN_TYPES: dict[str, Any] = {}  # by name: what `specgrad.return_types` offers


@functools.cache
def ReturnType(name: str, fields: tuple[str, ...]) -> Any:
    """The named tuple that an op with several outputs returns: `max(x, dim).indices`."""
    create: Any = namedtuple  # type checkers read calls of the name itself, which has no literal here
    made = create(name, fields, module="specgrad.return_types")
    made.__new__ = _from_items_or_one_sequence
    made.__repr__ = _by_lines
    made.n_fields = made.n_sequence_fields = len(fields)
    made.n_unnamed_fields = 0
    RETURN_TYPES.setdefault(name, made)
    return made


def _from_items_or_one_sequence(cls: Any, *items: Any) -> Any:
    """Both `max(values, indices)` and PyTorch's `max((values, indices))`."""
    value = items[0] if len(items) == 1 else items
    if len(value) != cls.n_fields:
        raise TypeError(f"{cls.__name__}() takes {cls.n_fields} items, but got {len(value)}")
    return tuple.__new__(cls, value)


def _by_lines(result: Any) -> str:
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(result._fields, result, strict=True))
    return f"{known.name}.return_types.{type(result).__name__}(\n{fields})"


conversions: "dict[str, Conversion]" = {}  # by name


class Conversion:
    """An op that gives a tensor in another dtype; `launch(tensor, dtype)` is native code."""

    __slots__ = ("launch", "name", "node")
    operands = ("self", "dtype")

    def __init__(self, name: str, node: Any) -> None:
        self.name = name
        self.node = node
        conversions.setdefault(name, self)

    def __getattr__(self, name: str) -> Any:
        if name != "launch":
            raise AttributeError(name)
        return keep_launch(self, name, fast_path().conversion(self))
