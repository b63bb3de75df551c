"""TensorBase: strided memory with a dtype, a device and a place in the graph. Kernels see only its arrays.

A contiguous tensor keeps its elements as one 1-D array (`_flat`); the n-d array over the same memory is made when
somebody asks for it (`array`). A view keeps its strides and offset into the base's storage."""

import functools
import weakref
from collections.abc import Sequence
from math import prod
from typing import Any, overload

import numpy as np

from ..device.device import CPU, META, device
from ..errors import ArgumentError, type_name
from ..locks import new_lock
from ..shapes import Shape, Size, byte_strides, contiguous_strides, dim_of, is_contiguous
from .captured import newest
from .dtypes import dtype, from_numpy
from .grad_mode import first_writes, inferring
from .memory import cast, contiguous, on_host
from .memory_format import contiguous_format, has_format
from .overrides import add_plain, add_to, overrides

MAX_DIMS = 64  # of a NumPy array

for _kind in (dtype, device, Size):
    add_plain(_kind)
_new = object.__new__
_new_size = tuple.__new__
_tensor_class: Any = None
layout_changes = np.zeros(1, np.int64)  # how often a tensor has been given other memory or another shape
plain_classes: set[type] = set()  # whose slots hold what they say: no property stands in the place of one


class TensorBase:
    """Memory, metadata and graph state of a tensor; the generated `Tensor` adds the ops.

    `_requires_grad` is true for everything that requires grad; `_grad_fn` is the edge that a gradient takes, None for a
    leaf. `_version_counter` is None until something is written or a view is made, then a list that all views share: the
    count and the op that wrote last; inference tensors have another list there (grad_mode.py)."""

    _base: "TensorBase | None"
    _device: device
    _dtype: dtype
    _flat: Any  # a 1-D NumPy array, a DeviceArray, or None
    _grad_fn: Any
    _grad: Any
    _hooks: Any
    _array: Any
    _made: int  # see captured.py
    _offset: int
    _requires_grad: bool
    _shape: Shape
    _storage: Any
    _strides: tuple[int, ...] | None
    _tangent: Any
    _version_counter: list[Any] | None
    _views: Any  # of a base: weak references to its views; of a view: how it was made, where that matters
    __slots__ = ("__dict__", "__weakref__", *__annotations__)

    edge_kind = 2  # a leaf is its own graph edge: see autograd.node
    _vmap_level: int | None = None  # of one example of a batch, the number of the vmap that it belongs to
    lazy_conj = conjugated = negated = False  # whether memory is shown otherwise: see extensions/lazy_conj/

    def __init_subclass__(cls, factory: bool = False, **kwargs: Any) -> None:
        """`factory=True` becomes the class of all results; one with a `__torch_function__` is for the general path."""
        global _tensor_class
        super().__init_subclass__(**kwargs)
        if factory:
            _tensor_class = cls
        if _tensor_class is not None and _tensor_class is not cls and overrides(cls):
            return add_to(cls, _tensor_class)
        add_plain(cls)
        own = [name for kind in cls.__mro__[: cls.__mro__.index(TensorBase)] for name in kind.__dict__]
        if not {"_flat", "_shape", "_storage"}.intersection(own):
            plain_classes.add(cls)

    @property
    def array(self) -> Any:
        """The n-d NumPy array, or DeviceArray, over this tensor's memory (no copy).

        NumPy has at most 64 dimensions: of tensors with more it is without those of size 1."""
        nd = self._array
        if nd is None:
            flat = self._flat
            if len(self._shape) > MAX_DIMS:
                nd = squeezed(self).array
            elif flat is None:
                nd = self._strided_array()
            else:
                nd = flat if flat.shape == self._shape else flat.reshape(self._shape)
            self._array = nd
        return nd

    def _strided_array(self) -> Any:
        kind = self._dtype
        steps = byte_strides(self._shape, self._strides, kind.itemsize)
        if self._device is not CPU:
            return self._storage.strided(self._shape, kind.np, self._offset * kind.itemsize, steps)
        buffer = self._storage if kind.native else self._storage.view(np.uint8)  # bfloat16 arrays export none
        if not buffer.size and self.numel():  # the storage has been resized; NumPy takes no bytes for any number
            raise RuntimeError(f"the storage of a tensor of shape {list(self._shape)} has been resized to 0 bytes")
        return np.ndarray(self._shape, kind.np, buffer, self._offset * kind.itemsize, steps)

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return _new_size(Size, self._shape)

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._dtype

    @property
    def device(self) -> device:
        """Where the memory is."""
        return self._device

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: int) -> int: ...
    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the size of the dimension `dim`."""
        if dim is None:
            return _new_size(Size, self._shape)
        return self._shape[dim_of("size", dim, len(self._shape))]

    @overload
    def stride(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def stride(self, dim: int) -> int: ...
    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """The step in elements from one index to the next, for each dimension or for the dimension `dim`."""
        strides = self._strides
        if strides is None:
            strides = contiguous_strides(self._shape)
        if dim is None:
            return strides
        return strides[dim_of("stride", dim, len(self._shape))]

    def storage_offset(self) -> int:
        """The place of the first element in the storage, in elements."""
        return self._offset

    def numel(self) -> int:
        """The number of elements."""
        return prod(self._shape)

    nelement = numel

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel() * self._dtype.itemsize

    def data_ptr(self) -> int:
        """The address of the first element (0 for an empty tensor)."""
        if not self.numel():
            return 0
        return self.array.__array_interface__["data"][0] if self._device is CPU else self.array.address

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether the elements lie in row-major order without gaps, or in the order of a `memory_format`."""
        if memory_format is None or memory_format is contiguous_format:
            return self._flat is not None
        if not isinstance(memory_format, type(contiguous_format)):
            got = type_name(memory_format)
            raise ArgumentError(f"is_contiguous(): argument 'memory_format' must be memory_format, not {got}")
        return has_format(self._shape, self._strides, memory_format)

    def is_floating_point(self) -> bool:
        """Whether the dtype is a real floating-point one."""
        return self._dtype.kind == "f"

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self._dtype.kind == "c"

    def is_signed(self) -> bool:
        """Whether the dtype has negative values."""
        return self._dtype.is_signed

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self._device.type == "cuda"

    @property
    def is_meta(self) -> bool:
        """Whether there is no memory: shape, strides and dtype alone."""
        return self._device is META

    @property
    def is_cpu(self) -> bool:
        """Whether the memory is the host's."""
        return self._device.type == "cpu"

    def is_same_size(self, other: "TensorBase") -> bool:
        """Whether the shape of `other` is the same."""
        if not isinstance(other, TensorBase):
            raise ArgumentError(f"is_same_size(): argument 'other' must be Tensor, not {type_name(other)}")
        return self._shape == other._shape

    def _bump_version(self, writer: str = "an in-place operation") -> None:
        """Note a write to the memory and the op that did it; all views share the count."""
        writes = self._version_counter
        if writes is None:
            self._version_counter = [1, writer]
        else:
            count, _ = writes
            writes[0] = count + 1
            writes[1] = writer

    def _shared_version(self) -> list[Any]:
        if self._version_counter is None:
            self._version_counter = [0, ""]
        return self._version_counter

    def __hash__(self) -> int:
        return id(self)


def from_flat(flat: Any, shape: Shape, dtype: dtype) -> Any:
    """A tensor over a 1-D contiguous array that nobody else holds."""
    t = _new(_tensor_class)
    t._flat = t._storage = flat
    t._shape = shape
    t._dtype = dtype
    t._device = CPU if flat.__class__ is np.ndarray else flat.device
    t._offset = 0
    t._made = newest[0]
    t._requires_grad = False
    t._array = t._strides = t._grad_fn = t._grad = t._base = t._version_counter = t._hooks = t._views = t._tangent = (
        None
    )
    if inferring:
        t._version_counter = first_writes()
    return t


def without_memory(cls: type, shape: Shape, dtype: dtype, view_geometry: device) -> Any:
    """A tensor of a class whose elements lie elsewhere, outside the graph."""
    t: Any = _new(cls)
    t._shape = shape
    t._dtype = dtype
    t._device = view_geometry
    t._offset = 0
    t._made = newest[0]
    t._requires_grad = False
    t._array = t._strides = t._grad_fn = t._grad = t._base = t._version_counter = t._hooks = t._views = t._tangent = (
        None
    )
    if inferring:
        t._version_counter = first_writes()
    return t


def tensor_class() -> Any:
    return _tensor_class


def adopt(value: Any, dtype: dtype | None = None) -> Any:
    """A tensor over what a kernel returned; copied only to make it contiguous or to change its dtype."""
    array = value if value.__class__ is np.ndarray or getattr(value, "on_device", False) else np.asarray(value)
    if dtype is None:
        dtype = from_numpy(array.dtype)
    elif array.dtype is not dtype.np and array.dtype != dtype.np:
        array = cast(array, dtype.np)
    return holding(array, array.shape, dtype)


def holding(array: np.ndarray, shape: Shape, dtype: dtype) -> Any:
    """A tensor over an n-d array of this shape and dtype that nobody else holds; copied only to make it contiguous."""
    if array.__class__ is not np.ndarray and getattr(array, "on_device", False):  # a NumPy scalar is an array too
        return from_flat(contiguous(array).ravel(), shape, dtype)
    flat = array.ravel()
    t = from_flat(flat, shape, dtype)
    base = flat.base  # a copy has another one than what it copies
    if base is array or (base is not None and base is array.base):
        t._array = array
    return t


def share(array: np.ndarray) -> Any:
    """A tensor over the memory of any NumPy array with positive strides, whatever its layout."""
    if array.__class__ is not np.ndarray:  # a memory map is memory as any other
        array = np.asarray(array)
    if array.flags.c_contiguous:
        return from_flat(array.reshape(-1), array.shape, from_numpy(array.dtype))
    itemsize = array.itemsize
    if any(step < 0 or step % itemsize for step in array.strides):
        raise ValueError(
            f"from_numpy(): expected strides that are positive multiples of the item size {itemsize}, but got "
            f"{array.strides}; copy the array first (array.copy())"
        )
    strides = tuple(step // itemsize for step in array.strides)
    span = 1 + sum((size - 1) * step for size, step in zip(array.shape, strides, strict=True)) if array.size else 0
    known = array if array.dtype.isbuiltin == 1 else array.view(f"u{itemsize}")  # numbers that NumPy can describe
    storage = np.lib.stride_tricks.as_strided(known, (span,), (itemsize,)).view(array.dtype)
    base = from_flat(storage, (span,), from_numpy(array.dtype))
    return alias(base, array.shape, strides, 0)


def note_layout_change() -> None:
    """Tell native code, which may be using a tensor, that its memory or its shape has been replaced."""
    layout_changes[0] += 1


def alias(base: Any, shape: Sequence[int], strides: Sequence[int] | None, offset: int) -> Any:
    """Another tensor over the storage of `base`, without a place in the graph or among the views."""
    if base.lazy_conj:
        return base.aliased(shape, strides, offset)
    t = from_flat(base._storage, tuple(shape), base._dtype)
    t._storage = base._storage
    t._offset = offset
    t._version_counter = base._shared_version()
    t._made = base._made
    t._flat = part_of(base._storage, offset, prod(shape)) if is_contiguous(shape, strides) else None
    t._strides = None if strides is None else tuple(strides)
    return t


def part_of(storage: Any, offset: int, count: int) -> Any:
    """A range of a storage as an array of its own; None where the storage has been resized and is too short for it."""
    entry = storage[offset : offset + count]
    return entry if len(entry) == count else None


ViewGeometry = tuple[Shape, tuple[int, ...] | None, int, int | None]


@functools.lru_cache(maxsize=8192)
def geometry(function: Any, *arguments: Any) -> ViewGeometry:
    """Of a function of view_shapes.py, called once for each layout and arguments."""
    return placed(*function(*arguments))


@functools.lru_cache(maxsize=1024)
def geometries(function: Any, *arguments: Any) -> tuple[ViewGeometry, ...]:
    return tuple(placed(*result) for result in function(*arguments))


def placed(shape: Sequence[int], strides: Sequence[int] | None, offset: int) -> ViewGeometry:
    """(shape, strides or None for the usual ones, offset, number of elements or None if not contiguous)."""
    shape = tuple(shape)
    contiguous_steps = strides is None or tuple(strides) == contiguous_strides(shape)
    steps = None if contiguous_steps else tuple(strides)  # type: ignore[arg-type]
    return shape, steps, offset, prod(shape) if is_contiguous(shape, steps) else None


def no_view(result: Any) -> Any:
    """A result that was made as a view of memory which nobody else has: to its owner it is no view."""
    result._base = result._views = None
    return result


def view(source: Any, view_geometry: ViewGeometry) -> Any:
    """The same memory, version and base."""
    shape, strides, offset, count = view_geometry
    base = source._base
    t = _new(_tensor_class)
    t._storage = storage = source._storage
    t._flat = None if count is None else part_of(storage, offset, count)
    t._shape = shape
    t._strides = strides
    t._offset = offset
    t._dtype = source._dtype
    t._device = source._device
    t._made = newest[0]
    t._requires_grad = False
    t._array = t._grad_fn = t._grad = t._hooks = t._views = t._tangent = None
    t._version_counter = source._version_counter or source._shared_version()
    if base is None:
        base = source
    else:
        t._views = source._views  # how it was made: see autograd/view_history.py
    t._base = base
    reference = weakref.ref(t)
    views = base._views
    if views is None:  # nothing is called between this look and the next line, so no other thread gets in between
        base._views = [reference]
    else:
        views.append(reference)
        count = len(views)
        if count & (count - 1) == 0 and count > 16:  # at 32, 64, ...
            drop_dead(views)
    return t


_dropping = new_lock()


def drop_dead(views: list[Any]) -> None:
    """Drop the references to views that are gone; other threads may append to the list meanwhile."""
    with _dropping:
        count = len(views)
        views[:count] = [reference for reference in views[:count] if reference() is not None]


def squeezed(t: Any) -> Any:
    """A view without the dimensions of size 1."""
    strides = contiguous_strides(t._shape) if t._strides is None else t._strides
    wide = [dim for dim, size in enumerate(t._shape) if size != 1]
    shape, steps = (tuple([values[dim] for dim in wide]) for values in (t._shape, strides))
    return alias(t, shape, steps, t._offset)


def host_array(t: Any) -> Any:
    """A copy on the host where the memory is a device's."""
    return on_host(t.array)


def number_array(t: Any) -> Any:
    """`host_array` as numbers of NumPy's: complex32, of which it has none, as complex64."""
    array = host_array(t)
    return array if array.dtype.names is None else cast(array, np.dtype(np.complex64))


def compute_array(t: Any) -> Any:
    """`host_array` in the dtype that kernels compute in: float16 and bfloat16 are widened to float32."""
    compute, array = t._dtype.compute, host_array(t)
    return array if compute is t._dtype else cast(array, compute.np)
