"""The states of a model and its optimizers together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .model import get_model_state_dict, set_model_state_dict
from .optimizer import Optimizers, get_optimizer_state_dict, set_optimizer_state_dict
from .options import StateDictOptions


def get_state_dict(
    model: Any,
    optimizers: Optimizers,
    *,
    submodules: Iterable[Any] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states of a model and of its optimizers, as a checkpoint takes them; all ranks call this.

    Args:
        model: the model.
        optimizers: its optimizer, or several.
        submodules: as of `get_model_state_dict`.
        options: what the states are to look like.

    Returns: The state of the model, and that of the optimizers.

    Example:
        >>> from specgrad.distributed.checkpoint.state_dict import get_state_dict
        >>> model = sg.nn.Linear(2, 1)
        >>> state, optimizer_state = get_state_dict(model, sg.optim.Adam(model.parameters()))
        >>> list(optimizer_state["state"]["bias"])
        ['step', 'exp_avg', 'exp_avg_sq']
    """
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(
    model: Any,
    optimizers: Optimizers,
    *,
    model_state_dict: Mapping[str, Any],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Load states that `get_state_dict` gave, on whatever number of ranks; all ranks call this.

    Args:
        model: the model.
        optimizers: its optimizer, or several.
        model_state_dict: the state of the model.
        optim_state_dict: that of the optimizers.
        options: what the states look like.

    Returns: The names that only the model has, and those that only its state has.
    """
    result = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return result
