"""Saving and loading under PyTorch's name; the code is in specgrad.runtime.saving."""

import pickle as pickle  # which libraries hand on as `pickle_module`
from tempfile import mkdtemp
from typing import Any as _Any

from .runtime.arguments import guard_module as _guard_module
from .runtime.saving.locations import MapLocation as MAP_LOCATION
from .runtime.saving.registry import (
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
    validate_hpu_device,
)
from .runtime.saving.safe_names import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .runtime.saving.serialization import DEFAULT_PROTOCOL, load, save
from .runtime.saving.settings import (
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from .runtime.saving.storage_classes import (
    SourceChangeWarning,
    check_module_version_greater_or_equal,
    normalize_storage_type,
    storage_to_tensor_type,
)
from .runtime.saving.unsafe_names import get_unsafe_globals_in_checkpoint

StorageType = _Any  # of annotations

__all__ = [
    "DEFAULT_PROTOCOL",
    "LoadEndianness",
    "MAP_LOCATION",
    "SourceChangeWarning",
    "StorageType",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "mkdtemp",
    "normalize_storage_type",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "storage_to_tensor_type",
    "validate_cuda_device",
    "validate_hpu_device",
]

_guard_module(__name__)
