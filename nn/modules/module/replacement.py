"""How conversions and `load_state_dict` change parameters: in place, by new ones, or by exchange."""

from __future__ import annotations

from typing import Any

from ....runtime.dispatch import checks
from ....runtime.tensor.swap import swap_tensors
from ...parameter import Parameter


class _Choices:
    """What programs have chosen; by default the data of parameters is replaced, and they stay what they are."""

    overwrite = False
    swap = False


_choices = _Choices()


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether conversions of modules (`to`, `double`, `cuda`) give them new parameters, instead of new data.

    Args:
        value: whether they do; an optimizer then keeps the old parameters.
    """
    _choices.overwrite = checks.boolean("set_overwrite_module_params_on_conversion", "value", value)


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions of modules give them new parameters."""
    return _choices.overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether conversions and `load_state_dict` make new parameters and exchange them with the old ones.

    The parameter object stays, with another class, dtype or memory (`utils.swap_tensors`); this comes before
    `set_overwrite_module_params_on_conversion`. What is loaded is made by `Tensor.module_load`.

    Args:
        value: whether they do.
    """
    _choices.swap = checks.boolean("set_swap_module_params_on_conversion", "value", value)


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions and `load_state_dict` exchange parameters."""
    return _choices.swap


def replaced(module: Any, name: str, parameter: Parameter, value: Any) -> bool:
    """Give a module what became of a parameter, if programs have chosen not to change its data.

    Args:
        module: the parameter's.
        name: the parameter's.
        parameter: as it was.
        value: the tensor that takes its place.

    Returns:
        Whether that was done.
    """
    if not (_choices.swap or _choices.overwrite):
        return False
    new = value if isinstance(value, Parameter) else Parameter(value, requires_grad=parameter.requires_grad)
    if _choices.swap:
        swap_tensors(parameter, new)
    else:
        module._parameters[name] = new
    return True
