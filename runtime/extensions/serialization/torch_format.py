"""The archives that `torch.save` and `save` write: a pickle, and beside it raw storages; and PyTorch's reader of their
members.
"""

import os
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np

from ...device.device import device
from ...tensor.dtypes import dtype, uint8
from ...tensor.memory import placed
from .pickle_names import find
from .pickle_reader import Reader
from .pickle_tensors import StorageType, storage_tensor
from .settings import skips_data
from .zip_archive import Archive, Damage

_MEMBER = re.compile(
    r"[^/\\]+/(data\.pkl|byteorder|version|\.format_version|\.storage_alignment|\.data/serialization_id|data/(0|[1-9][0-9]*))"
)
DeviceMap = Callable[[str], device]


class Storages:
    """The storages of a file, each read once for a device.

    Args:
        read: the bytes of a storage, by its key, the number of its elements and the size of one.
        locate: the device for what was saved on another.
        swapped: whether their bytes are in the other order.
    """

    def __init__(self, read: Callable[[str, int, int], Any], locate: DeviceMap, swapped: bool) -> None:
        self._read = read
        self._location = locate
        self._swapped = swapped
        self._cached: dict[tuple[str, device], Any] = {}

    def __call__(self, identity: Any) -> Any:
        kind, key, location, count = checked_identity(identity)
        locate = self._location(location)
        if (key, locate) not in self._cached:
            raw = self._read(key, count, (kind or uint8).itemsize)
            self._cached[key, locate] = storage_tensor(placed(in_own_order(raw, kind, self._swapped), locate), kind)
        return self._cached[key, locate]


def _bytes_of(archive: Archive, stem: str, mapped: Any, key: str, count: int, itemsize: int) -> Any:
    """`mapped` is the whole file as it is mapped into memory, None where it is read."""
    name = f"{stem}/data/{key}"
    start, size = archive.locate(name)
    if size < count * itemsize:
        raise Damage(f"storage {key} has {size} bytes, which are not {count} elements")
    if skips_data():
        return np.zeros(count * itemsize, np.uint8)
    raw = (archive.read(name) if mapped is None else mapped[start : start + size])[: count * itemsize]
    return raw if mapped is None or start % 16 == 0 else raw.copy()


def checked_identity(identity: Any) -> tuple[dtype | None, str, str, int]:
    if type(identity) is not tuple or len(identity) not in (5, 6) or identity[0] != "storage":
        raise Damage("the pickle has a persistent id that is none of a storage")
    _, kind, key, location, count = identity[:5]
    if not isinstance(kind, StorageType) or type(key) is not str or type(location) is not str:
        raise Damage("a storage has no dtype, no key or no device")
    if type(count) is not int or count < 0:
        raise Damage("a storage has no number of elements")
    return kind.kind, key, location, count


def in_own_order(raw: np.ndarray, kind: dtype | None, swapped: bool) -> np.ndarray:
    if not swapped:
        return raw.view((kind or uint8).np)
    if kind is None:
        raise Damage("bytes in the other order can be brought into ours only where their dtype is known")
    part = kind.itemsize // 2 if kind.is_complex else kind.itemsize
    return raw.view(f"u{part}").byteswap().view(kind.np)


def read_archive(archive: Archive, locate: DeviceMap, order: str, mapped: Any = None) -> Any:
    stems = {name.partition("/")[0] for name in archive}
    for name in archive:
        if not _MEMBER.fullmatch(name) or len(stems) != 1:
            raise Damage(f"save writes no member called {name}")
    archive.leave_unchecked()
    stem = stems.pop()
    if f"{stem}/byteorder" in archive:
        order = archive.read(f"{stem}/byteorder").tobytes().decode("ascii", "replace")
    if order not in ("little", "big"):
        raise Damage(f"its byte order is {order!r}")
    storages = Storages(partial(_bytes_of, archive, stem, mapped), locate, order != sys.byteorder)
    return Reader(archive.read(f"{stem}/data.pkl").tobytes(), find, storages).load()


class PyTorchFileReader:
    """The members of an archive that `save` or PyTorch has written; their names are those below its one folder.

    Args:
        file: its path, or a file that can be searched.

    Raises:
        ValueError: it is no such archive.

    Example:
        >>> import io
        >>> import specgrad as sg
        >>> file = io.BytesIO()
        >>> sg.save([1, 2], file)
        >>> reader = sg.PyTorchFileReader(file)
        >>> reader.has_record("data.pkl"), reader.get_record("version")
        (True, b'3\\n')
    """

    def __init__(self, file: str | os.PathLike[str] | IO[bytes]) -> None:
        self._is_own = isinstance(file, str | os.PathLike)
        if not self._is_own and not hasattr(file, "seek"):
            raise TypeError(f"PyTorchFileReader(): expected a file or its name, but got {type(file).__name__}")
        self._file: Any = open(file, "rb") if isinstance(file, str | os.PathLike) else file  # noqa: SIM115
        self._archive = Archive(self._file)
        self._archive.leave_unchecked()
        self._members = {name.partition("/")[2]: name for name in self._archive}

    def __del__(self) -> None:
        if self._is_own:
            self._file.close()

    def get_all_records(self) -> list[str]:
        """The names of all members."""
        return list(self._members)

    def has_record(self, name: str) -> bool:
        """Whether there is a member `name`."""
        return name in self._members

    def get_record(self, name: str) -> bytes:
        """The bytes of the member `name`; a RuntimeError where there is none."""
        return self._archive.read(self._member(name)).tobytes()

    def get_record_size(self, name: str) -> int:
        """How many bytes the member `name` has."""
        return self._archive.locate(self._member(name))[1]

    def get_record_offset(self, name: str) -> int:
        """Where the bytes of the member `name` begin in the file."""
        return self._archive.locate(self._member(name))[0]

    def _member(self, name: str) -> str:
        if name not in self._members:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found.")
        return self._members[name]
