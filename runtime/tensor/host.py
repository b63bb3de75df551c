"""Tensors as Python and NumPy see them: numbers, lists, arrays, DLPack. Methods of `Tensor` call these."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

import numpy as np

from ..device.device import CPU, META, cuda_available, resolve
from ..errors import NoDataError, NotFiniteError, type_name
from ..namespace import Tensor, op
from ..tracebacks import hide_internal_frames
from .dtypes import complex32
from .grad_mode import mode
from .observers import watch
from .tensor import MAX_DIMS, TensorBase, from_flat, host_array, number_array


def numpy(tensor: Any, *, force: bool = False) -> np.ndarray:
    """The NumPy array over the tensor's memory; `force` detaches and copies to the CPU if need be.

    Raises:
        RuntimeError: when the tensor requires grad, outside `no_grad`: writes to the array would escape autograd.
        TypeError: when the tensor is not on the CPU, or NumPy has no such dtype.
        ValueError: when the tensor has more than 64 dimensions, as no array of NumPy's has.
    """
    try:
        if watch.reads:
            watch.note_read(tensor)
        if tensor._dtype is complex32:
            raise TypeError("numpy(): Got unsupported ScalarType ComplexHalf")
        if len(tensor._shape) > MAX_DIMS:
            raise ValueError(f"numpy(): expected at most {MAX_DIMS} dimensions, but got {len(tensor._shape)}")
        if force:
            return host_array(tensor).view()
        if tensor._requires_grad and mode.grad:
            raise RuntimeError(
                "numpy(): Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        if tensor._device is not CPU:
            raise TypeError(
                f"numpy(): can't convert {tensor.device} device type tensor to numpy. "
                "Use tensor.cpu() to copy it to host memory first."
            )
        return tensor.array.view()  # a new array object: its owner may reshape it or make it read-only
    except Exception as error:
        hide_internal_frames(error)
        raise


def array_protocol(tensor: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    try:
        return np.array(numpy(tensor), dtype=dtype, copy=copy)
    except Exception as error:
        hide_internal_frames(error)
        raise


def item(tensor: Any) -> Any:
    """The only element, as a Python number.

    Raises:
        RuntimeError: when there is not exactly one element, or no memory.

    Example:
        >>> import specgrad as sg
        >>> sg.tensor([[2.5]]).item()
        2.5
    """
    try:
        if tensor.numel() != 1:
            raise RuntimeError(f"item(): a Tensor with {tensor.numel()} elements cannot be converted to Scalar")
        if watch.reads:
            watch.note_read(tensor)
        try:
            return number_array(tensor).item()
        except NoDataError:
            raise NoDataError("Tensor.item() cannot be called on meta tensors") from None
    except Exception as error:
        hide_internal_frames(error)
        raise


def tolist(tensor: Any) -> Any:
    """The elements as nested lists of Python numbers; one number for a 0-d tensor.

    Example:
        >>> import specgrad as sg
        >>> sg.tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
    """
    try:
        if watch.reads:
            watch.note_read(tensor)
        elements = number_array(tensor)
        return (
            elements.tolist() if elements.shape == tensor._shape else nested(elements.ravel().tolist(), tensor._shape)
        )
    except Exception as error:
        hide_internal_frames(error)
        raise


def nested(values: list[Any], shape: Sequence[int]) -> Any:
    """Elements in row order as nested lists."""
    for size in reversed(shape):
        values = [values[i : i + size] for i in range(0, len(values), size or 1)]
    return values[0] if values else values


def _only_element(tensor: Any, target: str) -> Any:
    if tensor.numel() != 1:
        raise ValueError(
            f"only one element tensors can be converted to Python scalars: {target}() got shape {list(tensor.shape)}"
        )
    return item(tensor)


def _real(value: Any, target: str) -> Any:
    if isinstance(value, complex):
        if value.imag != 0:
            raise RuntimeError(f"value {value} cannot be converted to {target} without overflow")
        return value.real
    return value


def to_float(tensor: Any) -> float:
    try:
        return float(_real(_only_element(tensor, "float"), "float"))
    except Exception as error:
        hide_internal_frames(error)
        raise


def to_int(tensor: Any) -> int:
    try:
        value = _real(_only_element(tensor, "int"), "int")
        if not isfinite(value):
            raise NotFiniteError(f"int(): cannot convert {value} to an integer")
        return int(value)
    except Exception as error:
        hide_internal_frames(error)
        raise


def to_complex(tensor: Any) -> complex:
    return complex(_only_element(tensor, "complex"))


def to_bool(tensor: Any) -> bool:
    try:
        count = tensor.numel()
        if count != 1:
            result = "more than one value" if count else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {result} is ambiguous: got shape {list(tensor.shape)}")
        return bool(item(tensor))
    except Exception as error:
        hide_internal_frames(error)
        raise


def to_index(tensor: Any) -> int:
    try:
        if tensor.numel() != 1 or tensor.dtype.kind not in "bi":
            raise TypeError(
                "only integer tensors of a single element can be converted to an index, "
                f"but got shape {list(tensor.shape)} of {tensor.dtype}"
            )
        if watch.reads:
            watch.note_read(tensor)
        return int(host_array(tensor).item())
    except Exception as error:
        hide_internal_frames(error)
        raise


def length(tensor: Any) -> int:
    try:
        if not tensor._shape:
            raise TypeError("len() of a 0-d tensor")
        return tensor._shape[0]
    except Exception as error:
        hide_internal_frames(error)
        raise


def iterate(tensor: Any) -> "Iterator[Tensor]":
    if not tensor._shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(op.unbind(tensor, 0))


def contains(tensor: Any, element: Any) -> bool:
    """`element in tensor`: whether a number (or a tensor that broadcasts) equals some element."""
    if not isinstance(element, (TensorBase, bool, int, float, complex, np.generic)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type_name(element)}"
        )
    value = element.item() if isinstance(element, np.generic) else element
    return bool(op.any(op.eq(tensor, value)))


def format_tensor(tensor: Any, spec: str) -> str:
    """`format(tensor, spec)`: a 0-d tensor formats as its number, where there is one."""
    if not tensor._shape and tensor._device is not META:
        return format(item(tensor), spec)
    return object.__format__(tensor, spec)


def dlpack(
    tensor: Any, *, stream: Any = -1, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
) -> Any:
    """`__dlpack__`: a capsule over the tensor's memory, for `from_dlpack` of any library.

    Args:
        tensor: the tensor.
        stream: on a CUDA device, the stream of the consumer, which will wait for what the current stream was given
            until now: a handle, None or 1 for the default stream; -1 lets no stream wait.
        max_version: the newest version of DLPack that the consumer knows.
        dl_device: the device on which the consumer wants it, as DLPack counts them.
        copy: whether the consumer wants a copy; None leaves that open.

    Raises:
        BufferError: when the tensor requires grad, or DLPack has no such dtype.
        ValueError: it lies on another device than `dl_device`, and must not be copied.
    """
    if tensor.requires_grad:
        raise BufferError("__dlpack__(): can't export tensors that require gradient, use tensor.detach()")
    if stream is not None and type(stream) is not int:
        raise TypeError("__dlpack__(): stream must be ``int`` or ``none``")
    if tensor._device is META:
        raise BufferError("__dlpack__(): Cannot pack tensors on meta")
    if dl_device is not None and tuple(dl_device) != dlpack_device(tensor):
        return _dlpack_elsewhere(tensor, tuple(dl_device), stream, max_version, copy)
    if tensor._device is CPU:
        if stream not in (None, -1):
            raise AssertionError(f"__dlpack__(): stream should be None on cpu, but got {stream}")
        from .dlpack import of_host  # few programs hand over tensors

        return of_host(tensor.array, tensor._dtype, max_version, copy)
    return _dlpack_of_device(tensor.clone() if copy else tensor, stream, max_version)


def _dlpack_elsewhere(tensor: Any, requested: tuple[int, int], stream: Any, max_version: Any, copy: bool | None) -> Any:
    kinds = {1: "cpu", 2: f"cuda:{requested[1]}"}
    if copy is False or requested[0] not in kinds:
        raise ValueError(
            f"cannot move DLPack tensor from device {dlpack_device(tensor)} to {requested} without copying"
        )
    moved = op.to_device(tensor, resolve(kinds[requested[0]]), False)
    return dlpack(moved, stream=None if requested[0] == 1 else stream, max_version=max_version)


def _dlpack_of_device(tensor: Any, stream: int | None, max_version: Any) -> Any:
    from ..device.cuda.current import here  # loaded with the first device
    from .dlpack import exported, hand_over

    index = tensor._device.index
    if index != here.device:
        raise BufferError(
            f"__dlpack__(): Can't export tensors on a different CUDA device index. Expected: {index}. "
            f"Current device: {here.device}."
        )
    hand_over(index, stream)
    return exported(tensor.array, tensor._dtype, max_version)


def dlpack_device(tensor: Any) -> tuple[int, int]:
    """`__dlpack_device__`: DLPack's numbers of the device type (1 CPU, 2 CUDA) and index."""
    target_device = tensor.device
    if target_device is META:
        raise ValueError("__dlpack_device__(): Unknown device type meta for Dlpack")
    return (1, 0) if target_device.type == "cpu" else (2, target_device.index or 0)


def is_pinned(tensor: Any) -> bool:
    """Whether the memory is page-locked, so that a device copies it while the program goes on."""
    if tensor._device is not CPU or not cuda_available():
        return False
    from ..device.cuda import pinned_memory  # loaded with the first device

    return pinned_memory.is_pinned(tensor._storage)


def pin_memory(tensor: Any) -> "Tensor":
    """A copy in page-locked memory, which a device copies while the program goes on.

    Returns:
        The tensor itself where it lies there already, or where there is no CUDA device.

    Raises:
        RuntimeError: the tensor lies on a device.
    """
    if tensor._device is not CPU:
        raise RuntimeError(f"cannot pin a tensor on {tensor._device}: only dense CPU tensors can be pinned")
    if not cuda_available() or is_pinned(tensor):
        return tensor
    from ..device.cuda import pinned_memory

    return from_flat(pinned_memory.copied(tensor.array).reshape(-1), tensor._shape, tensor._dtype)


def record_stream(tensor: Any, stream: Any) -> None:
    """Say that a stream uses the memory: once nobody refers to it, it is free again only when that work is done.

    Args:
        stream: the `cuda.Stream`.

    Raises:
        RuntimeError: the tensor lies on the CPU.
    """
    if not tensor.is_cuda:
        raise RuntimeError(f"record_stream(): expected a tensor on a CUDA device, but got one on {tensor._device}")
    tensor._storage.block.record_stream(stream.handle)


def cuda_array_interface(tensor: Any) -> dict[str, Any]:
    if not tensor.is_cuda:
        raise AttributeError(
            "Can't get __cuda_array_interface__ on non-CUDA tensor. If CUDA data is required use tensor.cuda() to copy "
            "tensor to device memory."
        )
    if tensor.requires_grad:
        raise RuntimeError(
            "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
            "var.detach() to get Variable that doesn't require grad."
        )
    array = tensor.array
    return {
        "typestr": "<V2" if array.dtype.kind == "V" else array.dtype.str,
        "shape": array.shape,
        "strides": array.strides,
        "data": (array.address if array.size else 0, False),
        "version": 3,
        "stream": current_stream_of(tensor._device.index),
    }


def current_stream_of(device: int) -> int:
    """The number of a device's current stream, as that protocol counts: 1 is the default stream."""
    from ..device.cuda.current import current_stream  # loaded with the first device
    from ..device.cuda.driver_protocol import DEFAULT_STREAMS

    handle = current_stream(device)
    return handle if handle >= DEFAULT_STREAMS else 1
