"""What layers written for PyTorch call, under its module path; the code is in specgrad.nn."""

from ....runtime.arguments import guard_module as _guard_module
from ...repeated import ntuple, reverse_repeated
from ...state_prefix import consume_prefix_in_state_dict_if_present

__all__ = ["consume_prefix_in_state_dict_if_present"]

_ntuple, _reverse_repeat_tuple = ntuple, reverse_repeated
_single = ntuple(1, "_single")
_pair = ntuple(2, "_pair")
_triple = ntuple(3, "_triple")
_quadruple = ntuple(4, "_quadruple")
_guard_module(__name__)
