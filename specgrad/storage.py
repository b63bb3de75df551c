"""Storages under PyTorch's names; the code is in specgrad.runtime.sharing.storages. Loaded when first named."""

from typing import Any as _Any

from .runtime.sharing.storages import legacy as _legacy
from .runtime.sharing.storages.files import from_file
from .runtime.sharing.storages.setting import is_storage
from .runtime.sharing.storages.typed import TypedStorage
from .runtime.sharing.storages.untyped import UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage", "from_file", "is_storage", *_legacy.STORAGES]


def __getattr__(name: str) -> _Any:
    if name == "_LegacyStorage":
        return _legacy.LegacyStorage
    if name in _legacy.STORAGES:
        return _legacy.STORAGES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
