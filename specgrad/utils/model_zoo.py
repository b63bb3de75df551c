"""Weights from the net under the name that older programs have for it; the code is in specgrad.runtime.pytorch."""

from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
