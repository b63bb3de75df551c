"""Storages under PyTorch's names; the code is in specgrad.runtime.extensions.storage. Loaded when first named."""

from typing import Any as _Any

from .runtime.extensions.storage import typed_classes as _legacy
from .runtime.extensions.storage.file_memory import from_file
from .runtime.extensions.storage.set import is_storage
from .runtime.extensions.storage.typed import TypedStorage
from .runtime.extensions.storage.untyped import UntypedStorage
from .runtime.unknown_names import no_attribute as _no_attribute

__all__ = ["TypedStorage", "UntypedStorage", "from_file", "is_storage", *_legacy.STORAGES]


def __getattr__(name: str) -> _Any:
    if name == "_LegacyStorage":
        return _legacy.LegacyStorage
    if name in _legacy.STORAGES:
        return _legacy.STORAGES[name]
    raise _no_attribute(__name__, name)
