"""Saving and loading under PyTorch's name; the code is in specgrad.runtime.saving."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.saving.locations import MapLocation as MAP_LOCATION
from .runtime.saving.locations import default_restore_location, location_tag
from .runtime.saving.safe_names import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from .runtime.saving.serialization import DEFAULT_PROTOCOL, load, save
from .runtime.saving.settings import (
    LoadEndianness,
    get_default_load_endianness,
    get_default_mmap_options,
    set_default_load_endianness,
    set_default_mmap_options,
)

__all__ = [
    "DEFAULT_PROTOCOL",
    "LoadEndianness",
    "MAP_LOCATION",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "load",
    "location_tag",
    "safe_globals",
    "save",
    "set_default_load_endianness",
    "set_default_mmap_options",
]

_guard_module(__name__)
