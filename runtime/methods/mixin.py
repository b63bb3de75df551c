"""The part of `Tensor` that is neither memory nor gradients nor a spec'd op: conversion, protocols, indexing, print."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple, overload

import numpy as np

from ..device.device import CPU, DeviceLike, resolve
from ..device.device import device as Device
from ..dispatch import argument_checks
from ..errors import ArgumentError, type_name
from ..extension_points import extension
from ..namespace import Tensor, op
from ..ops import creation
from ..tensor import dtypes, grad_mode, host, override_modes
from ..tensor.dtypes import dtype as Dtype
from ..tensor.memory_format import contiguous_format, memory_format, strided
from ..tensor.tensor import TensorBase
from ..tracebacks import hide_internal_frames
from . import indexing, printing, queries, resizing
from .argument_guard import explained
from .dtype_and_layout import contiguous_as, converted, to_format

Bool = bool  # which is a method in the class below


class TensorAttributes(TensorBase):
    """Questions, and what NumPy and older programs call by other names."""

    __slots__ = ()

    equal = queries.equal
    allclose = queries.allclose
    isclose = queries.isclose
    is_nonzero = queries.is_nonzero
    is_conj = queries.is_conj
    is_neg = queries.is_neg
    is_pinned = host.is_pinned
    ndimension = TensorBase.dim
    resize_ = resizing.resize_
    resize_as_ = resizing.resize_as_
    apply_ = resizing.apply_
    map_ = resizing.map_
    map2_ = resizing.map2_

    layout = strided
    is_sparse = False
    is_quantized = False
    is_mps = False
    is_nested = False
    is_mkldnn = is_sparse_csr = False
    is_ipu = is_maia = is_mtia = is_vulkan = is_xla = is_xpu = False
    name: str | None = None
    volatile = False  # what recorded nothing, before `no_grad` was

    def get_device(self) -> int:
        """The index of the CUDA device; -1 on the CPU."""
        return self._device.index or 0 if self._device.type == "cuda" else -1

    def is_distributed(self) -> bool:
        """Whether the elements are spread over processes: never."""
        return False

    def is_inference(self) -> bool:
        """Whether the tensor was made in `inference_mode`, or is a view of one that was."""
        return grad_mode.is_inference(self)

    def is_set_to(self, tensor: Any) -> bool:
        """Whether another tensor is the same view of the same memory.

        Args:
            tensor: the other tensor.
        """
        argument_checks.tensor("is_set_to", "tensor", tensor)
        same = self._storage is tensor._storage and self._offset == tensor._offset
        return same and self._shape == tensor._shape and self.stride() == tensor.stride()

    def dim_order(self) -> tuple[int, ...]:
        """The dimensions from the outermost in memory to the innermost."""
        strides = self.stride()
        return tuple(sorted(range(len(strides)), key=lambda dim: -strides[dim]))

    def _is_view(self) -> bool:
        return self._base is not None and not grad_mode.is_inference(self)

    def _conj(self) -> Tensor:
        return op.conj(self)

    def _is_zerotensor(self) -> bool:
        return False

    def type_as(self: Any, other: Tensor) -> Tensor:
        """The elements in the dtype of `other`, on its device.

        Args:
            other: the tensor to be like.
        """
        return self.to(other)

    def __pos__(self: Any) -> Tensor:
        """`+x`: the tensor itself; a RuntimeError for bool."""
        if self._dtype.kind == "b":
            raise RuntimeError("positive(): expected a dtype that is not bool, but got specgrad.bool")
        return self

    positive = __pos__

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
        """The result of a NumPy function of a tensor as a tensor: `np.sin(x)`."""
        return op.from_numpy(np.asarray(array))


def _cast_to(name: str, target: Dtype) -> Callable[[Any], Tensor]:
    def cast(self: Any, memory_format: memory_format | None = None) -> Tensor:
        if memory_format is not None:
            return self.to(target, memory_format=memory_format)
        return self if self._dtype is target else converted(self, target)

    cast.__name__ = name
    cast.__doc__ = f"The elements as {target.name}, in a `memory_format`; the tensor itself when it is so."
    return cast


class TensorMethods(TensorAttributes):
    """to and its kin, NumPy and Python protocols, indexing, repr."""

    __slots__ = ()

    new_tensor = creation.new_tensor
    new_zeros = creation.new_zeros
    new_ones = creation.new_ones
    new_full = creation.new_full
    new_empty = creation.new_empty
    new_empty_strided = creation.new_empty_strided
    uniform_ = creation.uniform_
    normal_ = creation.normal_
    random_ = creation.random_
    bernoulli_ = creation.bernoulli_
    exponential_ = creation.exponential_
    geometric_ = creation.geometric_
    cauchy_ = creation.cauchy_
    log_normal_ = creation.log_normal_
    bernoulli = creation.bernoulli
    multinomial = creation.multinomial

    float = _cast_to("float", dtypes.float32)
    double = _cast_to("double", dtypes.float64)
    half = _cast_to("half", dtypes.float16)
    bfloat16 = _cast_to("bfloat16", dtypes.bfloat16)
    cfloat = _cast_to("cfloat", dtypes.complex64)
    chalf = _cast_to("chalf", dtypes.complex32)
    cdouble = _cast_to("cdouble", dtypes.complex128)
    char = _cast_to("char", dtypes.int8)
    short = _cast_to("short", dtypes.int16)
    int = _cast_to("int", dtypes.int32)
    long = _cast_to("long", dtypes.int64)
    byte = _cast_to("byte", dtypes.uint8)
    bool = _cast_to("bool", dtypes.bool_)

    @overload
    def to(
        self,
        dtype: Dtype,
        non_blocking: Bool = False,
        copy: Bool = False,
        *,
        memory_format: memory_format | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self,
        device: DeviceLike = None,
        dtype: Dtype | None = None,
        non_blocking: Bool = False,
        copy: Bool = False,
        *,
        memory_format: memory_format | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self,
        other: Tensor,
        non_blocking: Bool = False,
        copy: Bool = False,
        *,
        memory_format: memory_format | None = None,
    ) -> Tensor: ...
    def to(self: Any, *args: Any, **kwargs: Any) -> Tensor:
        """The tensor in another dtype or on another device: `to(dtype)`, `to(device, dtype)` or `to(other)`.

        Args:
            *args: a dtype, a device, both, or a tensor whose dtype and device are taken; then non_blocking and copy.
            **kwargs: the same as `dtype=` and `device=`; `copy=True` copies also where nothing changes;
                `non_blocking=True` does not wait for a copy from pinned memory to a device; `memory_format=` says
                how the result lies in memory, by default as the tensor does.

        Returns:
            The tensor itself when nothing changes; else a copy through which gradients pass.

        Example:
            >>> import specgrad as sg
            >>> sg.tensor([1.5, 2.5]).to(sg.int64)
            tensor([1, 2])
        """
        try:
            if "memory_format" in kwargs and kwargs["memory_format"] is not None:
                return to_format(self, args, kwargs)
            if len(args) + len(kwargs) == 1:
                kind = self._dtype_query(args[0] if args else kwargs.get("dtype"))
                if kind is not None:
                    return self if kind is self._dtype else converted(self, kind)
            requested = _conversion(args, kwargs)
            moved = requested.device is not None and requested.device is not self._device
            result = op.to_device(self, requested.device, requested.non_blocking) if moved else self
            if requested.dtype is None or requested.dtype is self._dtype:
                return op.clone(self) if requested.copy and not moved else result
            return converted(result, requested.dtype)
        except Exception as error:
            hide_internal_frames(error)
            raise

    def _dtype_query(self, requested: Any) -> Dtype | None:
        """The dtype that `to` is asked for by a dtype, or by a tensor or a place where this one is; None for others."""
        if requested.__class__ is Dtype:
            return requested
        if isinstance(requested, TensorBase):
            return requested._dtype if requested._device is self._device else None
        is_here = requested is self._device or (
            self._device is CPU and requested.__class__ is str and requested == "cpu"
        )
        return self._dtype if is_here else None

    def cpu(self) -> Tensor:
        """The tensor on the CPU: itself where it lies there, else a copy through which gradients pass."""
        return self.to("cpu")

    def cuda(self, device: DeviceLike = None, non_blocking: Bool = False) -> Tensor:
        """The tensor on the CUDA device `device`, the current one when None; `non_blocking` is as in `to`."""
        target_device = "cuda" if device is None else argument_checks.device("cuda", "device", device)
        return self.to(target_device, non_blocking=non_blocking)

    def contiguous(self: Any, memory_format: memory_format | None = None) -> Tensor:
        """The tensor itself when it lies in `memory_format`, by default in row-major order, else a copy that does.

        Args:
            memory_format: `contiguous_format`, `channels_last` or `channels_last_3d`.

        Raises:
            RuntimeError: the format is not one of as many dimensions as the tensor has.

        Example:
            >>> import specgrad as sg
            >>> sg.ones(2, 3, 4, 5).contiguous(memory_format=sg.channels_last).stride()
            (60, 1, 15, 3)
        """
        if memory_format is None or memory_format is contiguous_format:
            return self if self._flat is not None else op.contiguous_copy(self)
        return contiguous_as(self, memory_format)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Address, shape, strides in bytes and dtype, for libraries that read memory of devices (version 3).

        Raises:
            AttributeError: the tensor lies on the CPU.
            RuntimeError: it requires grad.
        """
        return host.cuda_array_interface(self)

    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions reversed."""
        return op.permute(self, tuple(reversed(range(len(self._shape)))))

    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions exchanged."""
        if len(self._shape) < 2:
            raise RuntimeError(f"mT: expected a tensor of 2 or more dimensions, but got {len(self._shape)}")
        return op.transpose(self, -2, -1)

    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix."""
        if len(self._shape) not in (0, 2):
            raise RuntimeError(f"H: expected a tensor of 0 or 2 dimensions, but got {len(self._shape)}")
        return op.conj(self.T)

    @property
    def mH(self) -> Tensor:
        """The conjugate of `mT`."""
        return op.conj(self.mT)

    @property
    def real(self) -> Tensor:
        """The real part, a view; a real tensor itself. What is assigned is written there."""
        return op.real(self)

    @real.setter
    def real(self, value: Any) -> None:
        op.real(self).copy_(_as_tensor(value, self))

    @property
    def imag(self) -> Tensor:
        """The imaginary part of a complex tensor, a view. What is assigned is written there."""
        return op.imag(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        op.imag(self).copy_(_as_tensor(value, self))

    numpy = host.numpy
    pin_memory = host.pin_memory
    record_stream = host.record_stream
    item = host.item
    tolist = host.tolist
    __array__ = host.array_protocol
    __float__ = host.to_float
    __int__ = host.to_int
    __complex__ = host.to_complex
    __bool__ = host.to_bool
    __index__ = host.to_index
    __len__ = host.length
    __iter__ = host.iterate
    __contains__ = host.contains
    __format__ = host.format_tensor
    __dlpack__ = host.dlpack
    __dlpack_device__ = host.dlpack_device
    __getitem__ = indexing.getitem
    __setitem__ = indexing.setitem

    def __rmatmul__(self, other: Tensor) -> Tensor:
        return op.matmul(other, self) if isinstance(other, TensorBase) else NotImplemented

    __array_priority__ = 1000  # NumPy leaves `array * tensor` to the tensor

    def __repr__(self) -> str:
        return printing.to_repr(self)

    def _repr_html_(self) -> str:
        return extension("display")(self)

    @explained
    def module_load(self: Any, other: Tensor, assign: Bool = False) -> Tensor:
        """What becomes of `other` when `load_state_dict` gives it to a module in the place of this tensor.

        It is asked where parameters are exchanged (`__future__.set_swap_module_params_on_conversion`); a subclass may
        say something else.

        Args:
            other: the tensor that is loaded.
            assign: take `other` as it is; otherwise its values in the dtype and on the device of this tensor.

        Example:
            >>> import specgrad as sg
            >>> sg.zeros(2).module_load(sg.ones(2, dtype=sg.float64))
            tensor([1., 1.])
        """
        return other.detach() if assign else self.detach().copy_(other)

    as_subclass = override_modes.as_subclass
    _make_subclass = staticmethod(override_modes.make_subclass)
    __torch_function__: Any = classmethod(override_modes.torch_function)


for _name, _function in vars(TensorMethods).items():
    if _name.startswith("__") and isinstance(_function, FunctionType):
        _function.__name__ = _name  # by which a `__torch_function__` knows it


def _as_tensor(value: Any, like: Any) -> Any:
    return value if isinstance(value, TensorBase) else op.full((), value, dtype=like._dtype.real)


class Conversion(NamedTuple):
    dtype: Any
    device: Any
    non_blocking: bool
    copy: bool


def _conversion(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Conversion:
    unknown = kwargs.keys() - {"dtype", "device", "other", "copy", "non_blocking", "memory_format"}
    if unknown:
        raise TypeError(f"to() got an unexpected keyword argument {min(unknown)!r}")
    dtype, target_device, flags = kwargs.get("dtype"), kwargs.get("device"), []
    for value in (*args, kwargs.get("other")):
        if isinstance(value, TensorBase):
            dtype, target_device = value._dtype, value._device
        elif isinstance(value, (Dtype, type)):
            dtype = value
        elif isinstance(value, bool):
            flags.append(value)
        elif isinstance(value, (str, Device, int)):
            target_device = value
        elif value is not None:
            raise ArgumentError(f"to(): expected a dtype, a device or a Tensor, but got {type_name(value)}")
    non_blocking, copy = (*flags, False, False)[:2]
    return Conversion(
        argument_checks.optional_dtype("to", "dtype", dtype),
        None if target_device is None else resolve(target_device),
        bool(kwargs.get("non_blocking", non_blocking)),
        bool(kwargs.get("copy", copy)),
    )


def parsed_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """None where the arguments do not say."""
    requested = _conversion(args, kwargs)
    return requested.device, requested.dtype, requested.non_blocking, kwargs.get("memory_format")
