"""Checks of what the calls for states are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...modules.module import Module
from ...optim import Optimizer


def model_of(call: str, model: Any) -> Any:
    """The model.

    Raises:
        TypeError: it is no Module.
    """
    if not isinstance(model, Module):
        raise TypeError(f"{call}(): argument 'model' must be a Module, but got {type(model).__name__}")
    return model


def optimizers_of(call: str, optimizers: Any) -> list[Any]:
    """The optimizers, of which one may be given as it is.

    Raises:
        TypeError: one of them is none.
    """
    listed = list(optimizers) if isinstance(optimizers, list | tuple) else [optimizers]
    for one in listed:
        if not isinstance(one, Optimizer):
            raise TypeError(f"{call}(): argument 'optimizers' must be of Optimizers, but got {type(one).__name__}")
    return listed


def state_of(call: str, state: Any) -> dict[Any, Any]:
    """A state by names.

    Raises:
        TypeError: it is no mapping.
    """
    if not isinstance(state, Mapping):
        raise TypeError(f"{call}(): the state_dict must be a dict, but got {type(state).__name__}")
    return dict(state)
