"""Saving and loading under PyTorch's name; the code is in specgrad.runtime.extensions.serialization."""

import pickle as pickle  # which libraries hand on as `pickle_module`
from tempfile import mkdtemp
from typing import Any as _Any

from .runtime.extensions.serialization.devices import MapLocation as MAP_LOCATION
from .runtime.extensions.serialization.devices import (
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
    validate_hpu_device,
)
from .runtime.extensions.serialization.pickle_names import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    get_unsafe_globals_in_checkpoint,
    safe_globals,
)
from .runtime.extensions.serialization.save_load import DEFAULT_PROTOCOL, load, save
from .runtime.extensions.serialization.settings import (
    LoadEndianness,
    SourceChangeWarning,
    check_module_version_greater_or_equal,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    normalize_storage_type,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
    storage_to_tensor_type,
)
from .runtime.methods.argument_guard import guard_module as _guard_module

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
