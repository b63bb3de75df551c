"""What holds for every `load` of a program: byte order where a file says none, and how files are mapped; and names of
`torch.serialization` about classes and versions.
"""

import contextlib
import mmap
import sys
import warnings
from enum import Enum
from typing import Any

from ...errors import ArgumentError
from ..storage.legacy_constructors import TYPES

MAP_PRIVATE = getattr(mmap, "MAP_PRIVATE", 2)
MAP_SHARED = getattr(mmap, "MAP_SHARED", 1)


class LoadEndianness(Enum):
    """The byte order of files that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Settings:
    endianness: LoadEndianness | None = None
    flags = MAP_PRIVATE
    checksums = True
    skips = False


_settings = _Settings()


def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order of files that do not say theirs; None is the little one, which PyTorch's older files have."""
    return _settings.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Say which byte order files have that do not say theirs."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise ArgumentError(f"set_default_load_endianness(): expected a LoadEndianness or None, got {endianness!r}")
    _settings.endianness = endianness


def order_where_unsaid() -> str:
    if _settings.endianness is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if _settings.endianness is LoadEndianness.BIG else "little"


def get_crc32_options() -> bool:
    """What `set_crc32_options` was told, True at first."""
    return _settings.checksums


def set_crc32_options(compute_crc32: bool) -> None:
    """Kept for programs that ask for it: `save` writes checksums always, and `load` reads files without them.

    Args:
        compute_crc32: whether PyTorch would write checksums.
    """
    _settings.checksums = bool(compute_crc32)


class skip_data(contextlib.AbstractContextManager[None]):
    """A block in which `save` leaves storages empty, zeros in the place of their bytes, and `load` does not read them:
    its tensors have shapes, dtypes and zeros.

    Args:
        materialize_fake_tensors: without effect, as there are no fake tensors.

    Example:
        >>> import io, specgrad as sg
        >>> file = io.BytesIO()
        >>> with sg.serialization.skip_data():
        ...     sg.save(sg.ones(2), file)
        >>> _ = file.seek(0)
        >>> sg.load(file)
        tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before = _settings.skips
        _settings.skips = True

    def __exit__(self, *error: Any) -> None:
        _settings.skips = self._before


def skips_data() -> bool:
    return _settings.skips


def get_default_mmap_options() -> int:
    """`mmap.MAP_PRIVATE` or `mmap.MAP_SHARED`: where writes to mapped tensors go."""
    return _settings.flags


class set_default_mmap_options(contextlib.AbstractContextManager[None]):
    """Say where writes to tensors of mapped files go: `mmap.MAP_PRIVATE` keeps them, `MAP_SHARED` writes the file.

    Used by `with`, it ends with the block.
    """

    def __init__(self, flags: int) -> None:
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self._before = _settings.flags
        _settings.flags = flags

    def __enter__(self) -> None:
        """The option holds since it was made."""

    def __exit__(self, *error: Any) -> None:
        _settings.flags = self._before


def mode(mapped: bool) -> str:
    return "r+b" if mapped and _settings.flags == MAP_SHARED else "rb"


def access() -> int:
    return mmap.ACCESS_WRITE if _settings.flags == MAP_SHARED else mmap.ACCESS_COPY


class SourceChangeWarning(Warning):
    """The source of a class is another one than when it was saved; never given, as files hold no source."""


def normalize_storage_type(storage_type: Any) -> Any:
    """The class of storages on the CPU that has the name of another: `FloatStorage` for `cuda.FloatStorage`.

    Args:
        storage_type: the class.
    """
    from ..storage.typed_classes import STORAGES  # loaded by programs that use storages

    return STORAGES[storage_type.__name__]


def storage_to_tensor_type(storage: Any) -> Any:
    """The class of tensors of a storage's dtype: `FloatTensor`.

    Args:
        storage: a typed storage.
    """
    return TYPES[f"{storage.dtype.scalar_type}Tensor"]


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True
) -> bool:
    """Whether a module's `__version__` is at least a version.

    Args:
        module: the module.
        req_version_tuple: the version, part by part.
        error_if_malformed: whether a version of other parts is an error; else a warning.

    Raises:
        RuntimeError: the version has other parts.
    """
    try:
        parts = module.__version__.split(".")
        result = tuple(type(requested)(part) for requested, part in zip(req_version_tuple, parts, strict=False))
        return result >= req_version_tuple
    except Exception as error:
        message = f"'{module.__name__}' module version string is malformed '{module.__version__}'"
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(f"{message}, but continuing assuming that requirement is met", stacklevel=2)
        return True
