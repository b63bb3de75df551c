"""Models of a folder, weights by address, under PyTorch's name; the code is in
specgrad.runtime.extensions.torch_compat.
"""

from urllib.parse import urlparse as urlparse

from .runtime.extensions.torch_compat.hub import (
    HASH_REGEX,
    download_url_to_file,
    get_dir,
    help,
    load,
    load_state_dict_from_url,
    set_dir,
)
from .runtime.extensions.torch_compat.hub import hub_root as _get_torch_home  # noqa: F401
from .runtime.extensions.torch_compat.hub import list_entries as list
from .runtime.methods.argument_guard import guard_module as _guard_module
from .runtime.unknown_names import no_attribute as _no_attribute

__all__ = ["HASH_REGEX", "download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url"]
__all__ += ["set_dir"]

_guard_module(__name__)


def __getattr__(name: str) -> object:
    if name == "tqdm":
        from .runtime.extensions.torch_compat.hub import bar_class

        return bar_class()
    raise _no_attribute(__name__, name)
