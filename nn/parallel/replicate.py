"""Copies of a module on several devices, whose gradients come to the parameters of the one that was copied."""

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

from ...generated.tensor import Tensor
from ...runtime.methods.argument_guard import explained
from ..modules.module.base import Module
from .scatter_gather import device_of

AnyModule = TypeVar("AnyModule", bound=Module)


@explained
def replicate(network: AnyModule, devices: Sequence[Any], detach: bool = False) -> list[AnyModule]:
    """A copy of a module for each of several devices.

    The copies' parameters are tensors that were computed from the module's: gradients go on to these.

    Args:
        network: the module.
        devices: the devices or their numbers.
        detach: whether gradients end at the copies.

    Example:
        >>> layer = sg.nn.Linear(1, 1)
        >>> copies = sg.nn.parallel.replicate(layer, ["cpu", "cpu"])
        >>> sum(copy(sg.ones(1, 1)) for copy in copies).sum().backward()
        >>> layer.bias.grad
        tensor([2.])
    """
    return [_copy_on(network, index, detach, {}) for index in devices]


def _copy_on(module: AnyModule, index: Any, detach: bool, made: dict[int, Any]) -> AnyModule:
    if id(module) in made:
        return made[id(module)]
    replica = copy.copy(module)
    made[id(module)] = replica
    state = vars(replica)
    for name in ("_parameters", "_buffers", "_modules"):
        state[name] = type(state[name])(state[name])
    moved = {name: _moved(value, index, detach, made) for name, value in module._parameters.items()}
    for name in moved:
        del state["_parameters"][name]
    state.update(moved)  # plain attributes: a parameter would be a leaf of its own
    for name, value in module._buffers.items():
        state["_buffers"][name] = _moved(value, index, True, made)
    for name, child in module._modules.items():
        state["_modules"][name] = None if child is None else _copy_on(child, index, detach, made)
    return replica


def _moved(value: Tensor | None, index: Any, detach: bool, made: dict[int, Any]) -> Any:
    if value is None:
        return None
    if id(value) not in made:
        moved = (value.detach() if detach else value).to(device_of(index))
        made[id(value)] = moved.view_as(moved) if moved is value else moved
    return made[id(value)]
