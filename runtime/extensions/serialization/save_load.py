"""`save` and `load`: nested objects with tensors in PyTorch's files, read without running any code of theirs."""

import io
import mmap as memory
import os
import struct
import sys
import zlib
from typing import IO, Any

import numpy as np

from ...errors import AcceleratorError, ArgumentError, OutOfMemoryError, SerializationError, warn_once
from . import settings
from .atomic_file import is_seekable, replacing
from .devices import DeviceMap, MapLocation, checked_location

DEFAULT_PROTOCOL = 2
_STEM = "archive"
_ALIGNMENT = 64  # of storages in the file, so that they can be used where they are mapped
# What reading bytes that `save` did not write can raise. Other errors are not the file's: a module of ours that cannot
# be imported, a warning that a program turns into an error.
_OF_BYTES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_NO_CODE = (
    "load(weights_only=False): specgrad runs no code of a file, and reads it as with weights_only=True; classes and "
    "functions that you trust are allowed by torch.serialization.add_safe_globals([...])"
)


def save(
    obj: Any,
    f: str | os.PathLike[str] | IO[bytes],
    pickle_module: Any = None,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
) -> None:
    """Write an object to a file, whole or not at all, which `torch.load` reads as well.

    A path is written through a temporary file in the same folder that then takes its name, mode and owner, so a crash
    never leaves half a file. Links are followed. Storages are written once, whole: tensors that share memory still
    share it when they are loaded.

    Args:
        obj: tensors, numbers, strings, None, dtypes, devices, and lists, tuples, sets and dicts of these, which
            PyTorch and specgrad load as they are; NumPy arrays, which specgrad does; anything else that Python can
            pickle, whose classes `load` must be allowed to name (`torch.serialization.add_safe_globals`).
        f: a path, or an object with `write`.
        pickle_module: None; another pickler would write what `load` does not read.
        pickle_protocol: that of the pickle in the file, 2 to 5.

    Raises:
        RuntimeError: (SerializationError) for what cannot be pickled, naming the place in `obj`.
        OSError: the file cannot be written; what was there before stays.

    Example:
        >>> import io, specgrad as sg
        >>> file = io.BytesIO()
        >>> sg.save({"weight": sg.ones(2)}, file)
        >>> _ = file.seek(0)
        >>> sg.load(file)
        {'weight': tensor([1., 1.])}
    """
    if getattr(pickle_module, "__name__", "pickle") != "pickle":
        raise SerializationError("save(): pickle_module would write what load does not read; leave it out")
    if not _use_new_zipfile_serialization:
        raise SerializationError("save(): files of before archives are read, but not written any more")
    if pickle_protocol not in range(2, 6):
        raise SerializationError(f"save(): pickle_protocol is 2 to 5, not {pickle_protocol}")
    from .pickle_writer import pickled  # what reads and writes is loaded when it is first used

    content, storages = pickled(obj, pickle_protocol)
    if hasattr(f, "write"):
        _write(f, content, storages)
        if hasattr(f, "flush"):
            f.flush()  # who opens the file by its name finds all of it
        return
    with replacing(os.fspath(f)) as file:
        _write(file, content, storages)


def _write(file: Any, content: bytes, storages: list[np.ndarray]) -> None:
    from .zip_archive import ArchiveWriter

    archive = ArchiveWriter(file, file.tell() if is_seekable(file) else 0)
    archive.add(f"{_STEM}/data.pkl", np.frombuffer(content, np.uint8))
    archive.add(f"{_STEM}/byteorder", np.frombuffer(sys.byteorder.encode(), np.uint8))
    for number, storage in enumerate(storages):
        data = storage.view(np.uint8)
        archive.add(f"{_STEM}/data/{number}", np.zeros_like(data) if settings.skips_data() else data, _ALIGNMENT)
    archive.add(f"{_STEM}/version", np.frombuffer(b"3\n", np.uint8))
    archive.close()


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = True,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read an object that `save` or `torch.save` wrote. No code of the file is run.

    Files name classes and functions. Those of tensors, containers, NumPy arrays, layers, losses, optimizers and
    schedulers are known; only `torch.serialization.add_safe_globals` lets a file call others.

    Args:
        f: a path, or an object with `read`.
        map_location: the device for all tensors; or a dict from saved to new devices; or a function of
            `(storage, location)` that returns a tensor on the device; None puts each where it was.
        pickle_module: None; another one would run what the file says.
        weights_only: True, None or False, which are the same; False warns once that no code of the file is run.
        mmap: whether to map the file, a path, into memory and read of it what is used; without a look at checksums.

    Raises:
        RuntimeError: (SerializationError, an UnpicklingError too) when the file is damaged, was not written by `save`,
            or names what it may not (UnsafeFileError).
        OSError: the file cannot be read.
    """
    if weights_only is not None and not weights_only:
        warn_once(_NO_CODE)
    if pickle_module is not None:
        raise SerializationError("load(): pickle_module would run what the file says; leave it out")
    if set(pickle_load_args) - {"encoding"}:
        raise ArgumentError(f"load(): got an unexpected keyword argument {min(set(pickle_load_args) - {'encoding'})!r}")
    locate = DeviceMap(checked_location(map_location))
    if hasattr(f, "read"):
        if mmap:
            raise ValueError("f must be a file path in order to use the mmap argument")
        return _load(f, str(getattr(f, "name", "the file")), locate, False)
    if not isinstance(f, str | os.PathLike):
        raise TypeError(f"load(): expected a file or its name, but got {type(f).__name__}")
    path = os.fspath(f)
    with open(path, settings.mode(bool(mmap))) as file:
        return _load(file, os.fsdecode(path), locate, bool(mmap))


def _load(file: Any, name: str, locate: DeviceMap, mapped: bool) -> Any:
    source = file if is_seekable(file) else io.BytesIO(file.read())
    if not isinstance(source.read(0), bytes):
        raise TypeError(f"load(): {name} is open for text, expected a file that gives bytes: open(..., 'rb')")
    try:
        return _read(source, locate, mapped)
    except MemoryError as error:
        raise SerializationError(f"load(): there is not enough memory for {name}") from error
    except _OF_BYTES as error:
        if error is locate.failure or isinstance(error, SerializationError | OutOfMemoryError | AcceleratorError):
            raise
        reason = f"{type(error).__name__}: {error}"
        message = f"load(): {name} is damaged or was not written by specgrad.save or torch.save ({reason})"
        raise SerializationError(message) from error


def _read(file: Any, locate: DeviceMap, mapped: bool) -> Any:
    from .json_format import DESCRIPTION, read_described
    from .legacy_format import MAGIC, read_legacy
    from .torch_format import read_archive
    from .zip_archive import Archive

    begin = file.tell()
    if file.read(len(MAGIC)) == MAGIC:
        file.seek(begin)
        return read_legacy(file.read(), locate)
    archive = Archive(file)
    if DESCRIPTION in archive:
        return read_described(archive, locate)
    return read_archive(archive, locate, settings.order_where_unsaid(), _mapped(file) if mapped else None)


def _mapped(file: Any) -> np.ndarray:
    return np.frombuffer(memory.mmap(file.fileno(), 0, access=settings.access()), np.uint8)
