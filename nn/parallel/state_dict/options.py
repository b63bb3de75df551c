"""`StateDictOptions`, checks of what calls for states are given, and parameters' names without wrappers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...modules.module import Module
from ...optim import Optimizer
from ..distributed import DistributedDataParallel


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
    """Options as a call has been given them; a ValueError where a state that the first rank sends is not whole."""
    result = StateDictOptions() if options is None else options
    if not isinstance(result, StateDictOptions):
        raise TypeError(f"argument 'options' must be StateDictOptions, but got {type(options).__name__}")
    if result.broadcast_from_rank0 and not result.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return result


def model_of(call: str, model: Any) -> Any:
    if not isinstance(model, Module):
        raise TypeError(f"{call}(): argument 'model' must be a Module, but got {type(model).__name__}")
    return model


def optimizers_of(call: str, optimizers: Any) -> list[Any]:
    """The optimizers, of which one may be given as it is."""
    listed = list(optimizers) if isinstance(optimizers, list | tuple) else [optimizers]
    for one in listed:
        if not isinstance(one, Optimizer):
            raise TypeError(f"{call}(): argument 'optimizers' must be of Optimizers, but got {type(one).__name__}")
    return listed


def state_of(call: str, state: Any) -> dict[Any, Any]:
    if not isinstance(state, Mapping):
        raise TypeError(f"{call}(): the state_dict must be a dict, but got {type(state).__name__}")
    return dict(state)


WRAPPED = ("_fsdp_wrapped_module", "_checkpoint_wrapped_module", "_orig_mod")


def clean(model: Any, key: str) -> str:
    module, steps = model, []
    for step in key.split("."):
        if not (step in WRAPPED or (step == "module" and isinstance(module, DistributedDataParallel))):
            steps.append(step)
        module = getattr(module, "_modules", {}).get(step)
    return ".".join(steps)


def names_of(model: Any) -> dict[int, str]:
    return {id(parameter): clean(model, name) for name, parameter in model.named_parameters()}
