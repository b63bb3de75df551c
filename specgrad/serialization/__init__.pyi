"""PyTorch's `torch.serialization`, by names: written from `torch_names.py`."""

from tempfile import mkdtemp as mkdtemp
from typing import Any

from specgrad.runtime.extensions.serialization.devices import MapLocation
from specgrad.runtime.extensions.serialization.devices import default_restore_location as default_restore_location
from specgrad.runtime.extensions.serialization.devices import location_tag as location_tag
from specgrad.runtime.extensions.serialization.devices import register_package as register_package
from specgrad.runtime.extensions.serialization.devices import validate_cuda_device as validate_cuda_device
from specgrad.runtime.extensions.serialization.devices import validate_hpu_device as validate_hpu_device
from specgrad.runtime.extensions.serialization.pickle_names import add_safe_globals as add_safe_globals
from specgrad.runtime.extensions.serialization.pickle_names import clear_safe_globals as clear_safe_globals
from specgrad.runtime.extensions.serialization.pickle_names import get_safe_globals as get_safe_globals
from specgrad.runtime.extensions.serialization.pickle_names import (
    get_unsafe_globals_in_checkpoint as get_unsafe_globals_in_checkpoint,
)
from specgrad.runtime.extensions.serialization.pickle_names import safe_globals as safe_globals
from specgrad.runtime.extensions.serialization.save_load import DEFAULT_PROTOCOL as DEFAULT_PROTOCOL
from specgrad.runtime.extensions.serialization.save_load import load as load
from specgrad.runtime.extensions.serialization.save_load import save as save
from specgrad.runtime.extensions.serialization.settings import LoadEndianness as LoadEndianness
from specgrad.runtime.extensions.serialization.settings import SourceChangeWarning as SourceChangeWarning
from specgrad.runtime.extensions.serialization.settings import (
    check_module_version_greater_or_equal as check_module_version_greater_or_equal,
)
from specgrad.runtime.extensions.serialization.settings import get_crc32_options as get_crc32_options
from specgrad.runtime.extensions.serialization.settings import (
    get_default_load_endianness as get_default_load_endianness,
)
from specgrad.runtime.extensions.serialization.settings import get_default_mmap_options as get_default_mmap_options
from specgrad.runtime.extensions.serialization.settings import normalize_storage_type as normalize_storage_type
from specgrad.runtime.extensions.serialization.settings import set_crc32_options as set_crc32_options
from specgrad.runtime.extensions.serialization.settings import (
    set_default_load_endianness as set_default_load_endianness,
)
from specgrad.runtime.extensions.serialization.settings import set_default_mmap_options as set_default_mmap_options
from specgrad.runtime.extensions.serialization.settings import skip_data as skip_data
from specgrad.runtime.extensions.serialization.settings import storage_to_tensor_type as storage_to_tensor_type

MAP_LOCATION = MapLocation
pickle: Any
StorageType: Any
