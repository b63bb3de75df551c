"""Weights of convolutions in another memory format."""

from __future__ import annotations

from typing import Any, TypeVar

from ...runtime.arguments import explained
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module.base import Module

AnyModule = TypeVar("AnyModule", bound=Module)


@explained
def convert_conv2d_weight_memory_format(module: AnyModule, memory_format: Any) -> AnyModule:
    """Give the weights of the Conv2d and ConvTranspose2d of a module a memory format.

    Args:
        module: the module.
        memory_format: `channels_last` or `contiguous_format`.

    Returns:
        The module itself.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.utils.convert_conv2d_weight_memory_format(sg.nn.Conv2d(2, 2, 1), sg.channels_last)
    """
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


@explained
def convert_conv3d_weight_memory_format(module: AnyModule, memory_format: Any) -> AnyModule:
    """Give the weights of the Conv3d and ConvTranspose3d of a module a memory format.

    Args:
        module: the module.
        memory_format: `channels_last_3d` or `contiguous_format`.

    Returns:
        The module itself.
    """
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


def _converted(module: AnyModule, kinds: tuple[type[Module], ...], memory_format: Any) -> AnyModule:
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone().contiguous(memory_format=memory_format)
    return module
