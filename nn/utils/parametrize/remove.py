"""Taking parametrizations away, and giving them to another module."""

from __future__ import annotations

import copy
from typing import Any

from ....runtime.modes.grad_mode import no_grad
from ...modules.module.base import Module
from ...parameter import Parameter
from .parametrization_list import put
from .register import is_parametrized, register_parametrization


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a parametrized tensor a parameter or buffer again.

    Args:
        module: the module.
        tensor_name: the name of the tensor.
        leave_parametrized: keep the value that was computed; otherwise that of the original.

    Returns:
        The module.

    Raises:
        ValueError: the tensor is not parametrized, or the value of several originals should be kept.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> [name for name, _ in sg.nn.utils.parametrize.remove_parametrizations(layer, "weight").named_parameters()]
        ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations
    retained = _removed_value(module, tensor_name, parametrizations[tensor_name], leave_parametrized)
    delattr(type(module), tensor_name)
    del parametrizations[tensor_name]
    put(module, tensor_name, retained)
    if not len(parametrizations):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def _removed_value(module: Module, name: str, parametrizations: Any, leave_parametrized: bool) -> Any:
    """The tensor after removal: the original itself where there is one, as an optimizer may hold it."""
    if not leave_parametrized:
        if not parametrizations.is_tensor:
            raise ValueError(
                "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
                "sequence of tensors."
            )
        return parametrizations.original
    with no_grad():
        value = getattr(module, name).detach()
    if parametrizations.is_tensor:
        parametrizations.original.data = value
        return parametrizations.original
    first = _first_original(parametrizations)
    return Parameter(value, first.requires_grad) if isinstance(first, Parameter) else value


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, and the parameters that they are about; both share them.

    Args:
        from_module: the module whose parametrizations are taken; it keeps them.
        to_module: the module that gets them.
        tensor_name: the name of one tensor; all that are parametrized when left out.

    Returns:
        `to_module`.

    Example:
        >>> import specgrad as sg
        >>> first = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> second = sg.nn.utils.parametrize.transfer_parametrizations_and_params(first, sg.nn.Linear(2, 3))
        >>> bool((second.weight == first.weight).all())
        True
    """
    if not is_parametrized(from_module):
        return to_module
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        parametrizations = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            put(to_module, name, copy.deepcopy(_first_original(parametrizations)))
        for parametrization in parametrizations:
            register_parametrization(to_module, name, parametrization, unsafe=True)
        _share(parametrizations, to_module.parametrizations[name])
    return to_module


def _first_original(parametrizations: Any) -> Any:
    return parametrizations.original if parametrizations.is_tensor else parametrizations.original0


def _share(source: Any, target: Any) -> None:
    target._parameters.update(source._parameters)
    target._buffers.update(source._buffers)
