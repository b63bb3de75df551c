"""Weight normalization by a hook: the older form of `parametrizations.weight_norm`."""

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.errors import warn_user
from ..modules.module.base import Module
from ..parameter import Parameter


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """The norm of each slice along `dim`, with that dimension kept; of all elements for -1."""
    if dim == -1:
        return v.norm()
    others = tuple(d for d in range(v.dim()) if d != dim)
    return v.norm(2, others, keepdim=True) if others else v.abs()


def of_length(v: Tensor, g: Tensor, dim: int) -> Tensor:
    return v * (g / norm_except_dim(v, dim))


class WeightNorm:
    """The hook: before each call the weight is computed from its directions and lengths."""

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, module: Any) -> Tensor:
        return of_length(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn a weight as directions, NAME_v, and lengths, NAME_g; deprecated for `parametrizations.weight_norm`.

    Formula: w = g v / |v|, with norms over all dimensions but `dim`

    Args:
        module: the module.
        name: the name of the parameter.
        dim: the dimension along which each slice has a length; None for one length.

    Returns: The module.

    Raises:
        RuntimeError: the parameter is normalized already.
        AttributeError: the module has no such parameter.

    Source: Salimans and Kingma, Weight normalization (2016).

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     layer = sg.nn.utils.weight_norm(sg.nn.Linear(2, 3))
        >>> layer.weight_g.shape, layer.weight_v.shape
        (specgrad.Size([3, 1]), specgrad.Size([3, 2]))
    """
    warn_user(
        "`nn.utils.weight_norm` is deprecated in favor of `nn.utils.parametrizations.weight_norm`.", FutureWarning
    )
    if has_hook(WeightNorm, module, name):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, -1 if dim is None else dim)
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise AttributeError(f"weight_norm(): {type(module).__name__} has no parameter '{name}'")
    delattr(module, name)
    module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, hook.dim).detach()))
    module.register_parameter(name + "_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight that `weight_norm` normalized a parameter again, with its value now.

    Args:
        module: the module.
        name: the name of the parameter.

    Returns: The module.

    Raises: ValueError: the parameter is not normalized.
    """
    hook = remove_hook(WeightNorm, module, name)
    weight = hook.compute_weight(module)
    for part in (name, name + "_g", name + "_v"):
        delattr(module, part)
    setattr(module, name, Parameter(weight.detach()))
    return module


def has_hook(kind: type, module: Module, name: str) -> bool:
    return any(isinstance(hook, kind) and hook.name == name for hook in module._forward_pre_hooks.values())  # type: ignore[attr-defined]


def remove_hook(kind: type, module: Module, name: str) -> Any:
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:  # type: ignore[attr-defined]
            return module._forward_pre_hooks.pop(number)
    raise ValueError(f"{'weight' if kind is WeightNorm else 'spectral'}_norm of '{name}' not found in {module}")
