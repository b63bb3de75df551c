"""Weights of convolutions in another memory format; layers without initial values."""

import inspect
from typing import Any, TypeVar

from ...runtime.methods.argument_guard import explained
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module.base import Module

AnyModule = TypeVar("AnyModule", bound=Module)


@explained
def convert_conv2d_weight_memory_format(module: AnyModule, memory_format: Any) -> AnyModule:
    """Give the weights of the Conv2d and ConvTranspose2d of a module a memory format.

    Args:
        module: the module.
        memory_format: `channels_last` or `contiguous_format`.

    Returns: The module itself.

    Example:
        >>> layer = sg.nn.utils.convert_conv2d_weight_memory_format(sg.nn.Conv2d(2, 2, 1), sg.channels_last)
    """
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


@explained
def convert_conv3d_weight_memory_format(module: AnyModule, memory_format: Any) -> AnyModule:
    """Give the weights of the Conv3d and ConvTranspose3d of a module a memory format.

    Args:
        module: the module.
        memory_format: `channels_last_3d` or `contiguous_format`.

    Returns: The module itself.
    """
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


def _converted(module: AnyModule, kinds: tuple[type[Module], ...], memory_format: Any) -> AnyModule:
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone().contiguous(memory_format=memory_format)
    return module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Any:
    """A layer whose parameters are as memory is: for those that are loaded or set at once.

    Args:
        module_cls: the class of the layer; its `reset_parameters` is left out.
        args: positional arguments for it.
        kwargs: keyword arguments for it.

    Raises: RuntimeError: what is given is no class of modules, or takes no device.

    Example:
        >>> sg.nn.utils.skip_init(sg.nn.Linear, 5, 1).weight.shape
        specgrad.Size([1, 5])
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    unwrapped: Any = type(module_cls.__name__, (module_cls,), {"reset_parameters": lambda self: None})
    module = unwrapped(*args, **kwargs)
    module.__class__ = module_cls
    return module
