"""States of models and optimizers for checkpoints. The code is in specgrad.nn.parallel.states."""

from ...nn.parallel.states.both import get_state_dict, set_state_dict
from ...nn.parallel.states.model import get_model_state_dict, set_model_state_dict
from ...nn.parallel.states.optimizer import get_optimizer_state_dict, set_optimizer_state_dict
from ...nn.parallel.states.options import StateDictOptions

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]
