"""DLPack's capsules of device memory: how one is made, how one is read, and who owns the memory meanwhile.

What is exported is kept by NumPy: a capsule of one byte of the host is NumPy's; what it says is replaced by an array on
a device, which that byte keeps. So no Python runs where a capsule dies. What is imported belongs to its producer, whose
function is called when the last tensor over it is gone."""

import ctypes
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .dtypes import dtype as Dtype
from .dtypes import from_name

CPU, CUDA, CUDA_MANAGED = 1, 2, 13  # of DLDeviceType
CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}  # of DLDataTypeCode
DLPACK_BYTE_CODES = {"float8_e4m3fn": 10, "float8_e5m2": 12}  # of those that say the bits too
KINDS = {code: kind for kind, code in (CODES | DLPACK_BYTE_CODES).items()}
BYTE = 8
# Capsules keep the addresses of their names, so these live as long as the program.
PLAIN, VERSIONED = b"dltensor", b"dltensor_versioned"
USED = {PLAIN: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}
DEFAULT_STREAM, PER_THREAD_STREAM, NO_STREAM = 1, 2, -1  # what DLPack calls streams that are no handles
NUMPYS = 1  # what `isbuiltin` is of the dtypes of NumPy itself
MAJOR = 1  # the version that is understood


class DLTensor(ctypes.Structure):
    """An array, as DLPack describes it; strides are in elements, NULL where the elements lie in row order."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
LAYOUTS: dict[bytes, type[Managed] | type[Versioned]] = {PLAIN: Managed, VERSIONED: Versioned}
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.argtypes, _rename.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int


def exported(array: Any, kind: Dtype, max_version: tuple[int, int] | None) -> Any:
    """The memory of the `DeviceArray` lives until the consumer, who knows `max_version`, gives it back."""
    count = max(array.ndim, 1)
    shape = (ctypes.c_int64 * count)(*array.shape)
    strides = (ctypes.c_int64 * count)(*(step // array.itemsize for step in array.byte_strides))
    memory: Any = (ctypes.c_uint8 * 1)()
    memory.retained = array.block, shape, strides
    byte = np.frombuffer(memory, np.uint8)
    is_versioned = max_version is not None and max_version[0] >= MAJOR
    capsule = byte.__dlpack__(max_version=max_version) if is_versioned else byte.__dlpack__()
    dl_tensor = content(capsule).tensor
    dl_tensor.data = array.address if array.size else None
    dl_tensor.device_type, dl_tensor.device_id, dl_tensor.ndim = CUDA, array.device.index, array.ndim
    dl_tensor.code, dl_tensor.bits = data_type(kind)
    dl_tensor.shape, dl_tensor.strides = (
        ctypes.cast(each, ctypes.POINTER(ctypes.c_int64)) for each in (shape, strides)
    )
    return capsule


def of_host(array: Any, kind: Dtype, max_version: Any, copy: bool | None) -> Any:
    """Of elements that NumPy has no numbers for, as integers of their size."""
    if array.dtype.isbuiltin == NUMPYS:
        return array.__dlpack__(max_version=max_version, copy=copy)
    capsule = array.view(f"u{kind.itemsize}").__dlpack__(max_version=max_version, copy=copy)
    dl_tensor = content(capsule).tensor
    dl_tensor.code, dl_tensor.bits = data_type(kind)
    return capsule


def renamed(capsule: Any) -> Dtype | None:
    """The dtype of elements that NumPy has no numbers for, which the capsule now calls integers; None for others."""
    dl_tensor = content(capsule).tensor
    kind = dtype_of(dl_tensor)
    if kind.np.isbuiltin == NUMPYS:
        return None
    dl_tensor.code = CODES["uint"]
    return kind


def hand_over(device: int, stream: int | None) -> None:
    """Let a stream of another library wait for all that the current one of a device was given.

    `stream`: CUDA's handle; None or 1 for the default stream; with -1 nobody waits. BufferError: 2, the default stream
    of a thread, which is not used here. AssertionError: 0, which does not say which default stream is meant."""
    from ..device.cuda.current import current_stream  # loaded with the first device
    from ..device.cuda.driver import driver

    if stream == NO_STREAM:
        return
    if stream == PER_THREAD_STREAM:
        raise BufferError("__dlpack__(): per-thread default stream is not supported.")
    if stream == 0:
        raise AssertionError("__dlpack__(): unsupported stream on CUDA: 0.")
    current = current_stream(device)
    target = device if stream is None or stream == DEFAULT_STREAM else stream
    if target != current:
        event = driver().create_event(device)
        driver().record(event, current)
        driver().wait(target, event)
        driver().destroy_event(event)


def content(capsule: Any) -> Any:
    for name, layout in LAYOUTS.items():
        if _is_valid(capsule, name):
            return layout.from_address(_pointer(capsule, name))
    raise BufferError(f"expected a capsule of DLPack that nobody has taken, but got {capsule!r}")


def data_type(kind: Dtype) -> tuple[int, int]:
    code = DLPACK_BYTE_CODES.get(kind.name)
    return CODES[kind.name.rstrip("0123456789")] if code is None else code, kind.itemsize * BYTE


def dtype_of(dl_tensor: DLTensor) -> Dtype:
    word = KINDS.get(dl_tensor.code, f"code {dl_tensor.code}, ")
    try:
        if dl_tensor.lanes != 1:
            raise ValueError
        return from_name(word if word == "bool" or word in DLPACK_BYTE_CODES else f"{word}{dl_tensor.bits}")
    except ValueError:
        message = f"from_dlpack(): there is no dtype for {word}{dl_tensor.bits} with {dl_tensor.lanes} lanes"
        raise BufferError(message) from None


class Borrowed:
    """Memory of another library, given back when nothing refers to this object any more. Stands for a `Block`.

    `address`: of what a capsule held; `deleter`: of the function that takes it back, or 0; `stream`: the first."""

    def __init__(self, address: int, deleter: int, stream: int) -> None:
        self.address, self.deleter, self.stream = address, deleter, stream
        self.streams: set[int] = set()

    def record_stream(self, stream: int) -> None:
        """Work of another stream uses it: the owner gets it back when what that stream was given is done."""
        if stream != self.stream:
            self.streams.add(stream)

    def __del__(self) -> None:
        from ..device.cuda.driver import driver

        for stream in self.streams:
            driver().synchronize_stream(stream)
        if self.deleter:
            Deleter(self.deleter)(self.address)


class Foreign(NamedTuple):
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements
    dtype: Dtype
    device: tuple[int, int]  # type and index, as DLPack counts them
    owner: Borrowed

    @property
    def span(self) -> int:
        if not prod(self.shape):
            return 0
        return 1 + sum((n - 1) * step for n, step in zip(self.shape, self.strides, strict=True))


def consume_capsule(capsule: Any, stream: int) -> Foreign:
    """The capsule's array, the caller's from now on. BufferError: taken, or no tensor has its dtype or strides."""
    held = content(capsule)
    dl_tensor = held.tensor
    if isinstance(held, Versioned) and held.major != MAJOR:
        raise BufferError(f"from_dlpack(): expected version {MAJOR} of DLPack, but got {held.major}.{held.minor}")
    shape = tuple(dl_tensor.shape[: dl_tensor.ndim]) if dl_tensor.ndim else ()
    is_contiguous = tuple(prod(shape[d + 1 :]) for d in range(len(shape)))
    strides = tuple(dl_tensor.strides[: dl_tensor.ndim]) if dl_tensor.ndim and dl_tensor.strides else is_contiguous
    if min(strides, default=0) < 0:
        raise BufferError(f"from_dlpack(): expected strides that are not negative, but got {strides}")
    kind, device = dtype_of(dl_tensor), (dl_tensor.device_type, dl_tensor.device_id)
    name = VERSIONED if isinstance(held, Versioned) else PLAIN
    _rename(capsule, USED[name])
    owner = Borrowed(ctypes.addressof(held), held.deleter or 0, stream)
    return Foreign((dl_tensor.data or 0) + dl_tensor.byte_offset, shape, strides, kind, device, owner)
