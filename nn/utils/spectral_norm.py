"""Spectral normalization by a hook: the older form of `parametrizations.spectral_norm`."""

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.ops.creation import randn
from ...runtime.tensor.grad_mode import no_grad
from ..docstrings import completed_from
from ..modules.conv.convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module.base import Module
from ..parameter import Parameter
from .weight_norm import has_hook, remove_hook, remove_weight_norm, weight_norm


def output_dim(module: Any) -> int:
    return 1 if isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    return weight.movedim(dim, 0).flatten(1)


def unit(v: Tensor, eps: float) -> Tensor:
    return v / v.norm().clamp_min(eps)


def random_unit(like: Tensor, size: int, eps: float) -> Tensor:
    return unit(randn(size, dtype=like.dtype, device=like.device), eps)


def power_iterations(matrix: Tensor, u: Tensor, v: Tensor, count: int, eps: float) -> None:
    """Turn first `v`, then `u`, in place, towards the matrix's first right and left singular vectors."""
    with no_grad():
        for _ in range(count):
            v.copy_(unit(matrix.t().mv(u), eps))
            u.copy_(unit(matrix.mv(v), eps))


def largest_singular_value(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """u^T A v; the vectors are copied, as the next call turns them before backward of this one may come."""
    return u.clone().dot(matrix.mv(v.clone()))


def check_iterations(count: int) -> None:
    if count <= 0:
        raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={count}")


class SpectralNorm:
    """The hook: before each call the weight is divided by its greatest singular value."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        weight, u, v = (getattr(module, self.name + part) for part in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            power_iterations(matrix, u, v, self.n_power_iterations, self.eps)
        return weight / largest_singular_value(matrix, u, v)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


@completed_from(weight_norm)
def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its greatest singular value, which power iterations find; the older form.

    Formula: w = NAME_orig / sigma, sigma = u^T NAME_orig v; every call in training updates u and v by power
    iteration

    Args:
        n_power_iterations: how many iterations each call makes.
        eps: lengths below it are not divided by.
        dim: the dimension of the weight that numbers outputs; 1 for transposed convolutions and otherwise 0.

    Raises:
        RuntimeError: the parameter is normalized already.
        ValueError: n_power_iterations is not positive, or there is no such parameter.

    Source: Miyato et al., Spectral normalization for generative adversarial networks (2018).

    Example:
        >>> layer = sg.nn.utils.spectral_norm(sg.nn.Linear(2, 3))
        >>> list(layer.state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if has_hook(SpectralNorm, module, name):
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    check_iterations(n_power_iterations)
    weight = module._parameters.get(name)
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    hook = SpectralNorm(name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    rows, columns = as_matrix(weight.detach(), hook.dim).shape
    delattr(module, name)
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(name + "_u", random_unit(weight.detach(), rows, eps))
    module.register_buffer(name + "_v", random_unit(weight.detach(), columns, eps))
    module.register_forward_pre_hook(hook)
    return module


@completed_from(remove_weight_norm)
def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight that `spectral_norm` normalized a parameter again, with its value now."""
    hook = remove_hook(SpectralNorm, module, name)
    with no_grad():
        weight = hook.compute_weight(module, do_power_iteration=False)
    for part in (name, name + "_orig", name + "_u", name + "_v"):
        delattr(module, part)
    module.register_parameter(name, Parameter(weight.detach()))
    return module
