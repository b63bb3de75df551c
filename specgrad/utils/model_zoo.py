"""The name that `hub` had before: weights by their address, and the bar of progress that programs take from here."""

from typing import Any as _Any

from ..hub import load_state_dict_from_url
from ..runtime.extensions.torch_compat.hub import bar_class as _bar_class

load_url = load_state_dict_from_url
tqdm: _Any = _bar_class()

__all__ = ["load_url"]
