"""`StateDictOptions`: what the states of models and optimizers are to look like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StateDictOptions:
    """What `get_state_dict` gives, and `set_state_dict` expects.

    Args:
        full_state_dict: whether tensors are whole, instead of each rank's rows.
        cpu_offload: whether tensors lie in the host's memory; with `full_state_dict` the first rank alone gets them.
        ignore_frozen_params: whether parameters without gradients are left out.
        keep_submodule_prefixes: whether names begin at the model, where `submodules` are asked for.
        strict: whether names that only one side has are an error.
        broadcast_from_rank0: with `full_state_dict`, whether only the first rank has the state that is set.
        flatten_optimizer_state_dict: whether an optimizer's state is a flat dict, as older checkpoints want it.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def checked(options: Any) -> StateDictOptions:
    """Options as a call has been given them.

    Raises:
        TypeError: they are none.
        ValueError: the state is to be sent from the first rank, but is not whole.
    """
    result = StateDictOptions() if options is None else options
    if not isinstance(result, StateDictOptions):
        raise TypeError(f"argument 'options' must be StateDictOptions, but got {type(options).__name__}")
    if result.broadcast_from_rank0 and not result.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return result
