"""Weight normalization."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ...modules.module.base import Module
from ..parametrize import register_parametrization
from ..weight_norm import norm_except_dim, of_length


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return of_length(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn a weight as lengths, `original0`, and directions, `original1`.

    Formula: w = g v / |v|, with norms over all dimensions but `dim`

    State of the older `nn.utils.weight_norm` (NAME_g and NAME_v) can be loaded.

    Args:
        module: the module.
        name: the name of the parameter.
        dim: the dimension along which each slice has a length; None for one length.

    Returns:
        The module.

    Raises:
        ValueError: there is no such parameter.

    Source: Salimans and Kingma, Weight normalization (2016).

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> list(layer.state_dict())
        ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        new = f"{prefix}parametrizations.{name}.original"
        for old, number in ((f"{prefix}{name}_g", 0), (f"{prefix}{name}_v", 1)):
            if old in state_dict:
                state_dict[f"{new}{number}"] = state_dict.pop(old)

    module._register_load_state_dict_pre_hook(rename)
    return module
