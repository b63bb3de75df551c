"""The name that `hub` had before: weights by their address, and the bar of progress that programs take from here."""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import Any as _Any

from ..hub import load_state_dict_from_url
from ..runtime.pytorch.environment.progress import Silent as _Silent

load_url = load_state_dict_from_url
tqdm: _Any = _import_module("tqdm.auto").tqdm if _find_spec("tqdm") else _Silent

__all__ = ["load_url"]
