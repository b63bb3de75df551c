"""Filling with constants, with random numbers, and with matrices and convolutions of a structure."""

import math

from ...generated.ops import linalg_qr
from ...generated.ops.special import ndtri
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import warn_user
from ...runtime.ops.creation import empty, rand, randperm
from ...runtime.tensor.dtypes import float64
from ...runtime.tensor.generator import Generator
from ...runtime.tensor.grad_mode import no_grad
from ..docstrings import completed_from


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn uniformly from [a, b).

    Args:
        tensor: what is filled.
        a, b: the bounds.
        generator: source of the numbers; the default generator when left out.

    Example:
        >>> w = sg.nn.init.uniform_(sg.empty(3, 5), 1, 2)
        >>> bool((w >= 1).all() and (w < 2).all())
        True
    """
    argument_checks.tensor("uniform_", "tensor", tensor)
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@completed_from(uniform_)
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn from the normal distribution N(mean, std^2).

    Args:
        mean: the mean.
        std: the standard deviation.

    Example:
        >>> sg.nn.init.normal_(sg.empty(2), mean=3.0, std=0.0)
        tensor([3., 3.])
    """
    argument_checks.tensor("normal_", "tensor", tensor)
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


@completed_from(uniform_)
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with the value `val`.

    Args:
        val: the value.

    Example:
        >>> sg.nn.init.constant_(sg.empty(2), 0.3)
        tensor([0.3000, 0.3000])
    """
    argument_checks.tensor("constant_", "tensor", tensor)
    with no_grad():
        return tensor.fill_(val)


@completed_from(uniform_)
def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


@completed_from(uniform_)
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity: as a weight it passes on as many inputs as it can.

    Args:
        tensor: the matrix that is filled.

    Raises: ValueError: the tensor is no matrix.

    Example:
        >>> sg.nn.init.eye_(sg.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    argument_checks.tensor("eye_", "tensor", tensor)
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


@completed_from(uniform_)
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers drawn from N(mean, std^2), those outside [a, b] drawn again.

    Works by inverting the distribution function: x = mean + std cdf^-1(u), with u uniform between the values of the
    distribution function at the two ends.

    Args:
        mean: the mean before truncation.
        std: the standard deviation before truncation.

    Example:
        >>> float(sg.nn.init.trunc_normal_(sg.empty(100), std=2.0).abs().max()) <= 2.0
        True
    """
    argument_checks.tensor("trunc_normal_", "tensor", tensor)
    from scipy.special import ndtr

    if mean < a - 2 * std or mean > b + 2 * std:
        warn_user(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )
    low, high = ndtr((a - mean) / std), ndtr((b - mean) / std)
    with no_grad():
        shares = rand(tensor.shape, generator=generator, dtype=float64, device=tensor.device)
        shares.mul_(high - low).add_(low)
        ndtri(shares, out=shares)
        return tensor.copy_(shares.mul_(std).add_(mean).clamp_(a, b))


@completed_from(uniform_)
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a (semi-)orthogonal matrix times `gain`; dimensions after the first count as columns.

    The matrix is the Q of a normal matrix's QR decomposition, with the signs that make R's diagonal positive, and so
    uniformly distributed.

    Source: Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning (2013).

    Args:
        gain: a factor for all elements.

    Raises: ValueError: the tensor has fewer than 2 dimensions.

    Example:
        >>> w = sg.nn.init.orthogonal_(sg.empty(2, 3))
        >>> sg.allclose(w @ w.T, sg.eye(2), atol=1e-6)
        True
    """
    argument_checks.tensor("orthogonal_", "tensor", tensor)
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    shape = max(rows, columns), min(rows, columns)
    normal = normal_(empty(shape, dtype=float64, device=tensor.device), generator=generator)
    with no_grad():
        q, r = linalg_qr(normal)
        q.mul_(r.diagonal().sign()).mul_(gain)
        return tensor.copy_((q if rows >= columns else q.T).reshape(tensor.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution's weight so that it passes on as many channels as it can: with ones in the middle.

    Args:
        tensor: what is filled, the weight of a convolution in 1, 2 or 3 dimensions.
        groups: groups of channels, each of which is passed on.

    Raises: ValueError: the tensor has another number of dimensions, or channels cannot be split into groups.

    Example:
        >>> sg.nn.init.dirac_(sg.empty(2, 2, 3))
        tensor([[[0., 1., 0.],
                 [0., 0., 0.]],
        <BLANKLINE>
                [[0., 0., 0.],
                 [0., 1., 0.]]])
    """
    argument_checks.tensor("dirac_", "tensor", tensor)
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    outputs = tensor.size(0) // groups
    midpoint = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, tensor.size(1))):
                tensor[(group * outputs + channel, channel, *midpoint)] = 1
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with numbers drawn from N(0, std^2), in each column some of them replaced by zero.

    Args:
        tensor: what is filled, a matrix.
        sparsity: the part of each column that is zero, rounded up.
        std: the standard deviation of the others.
        generator: source of the numbers; the default generator when left out.

    Raises: ValueError: the tensor is no matrix.

    Source: Martens, Deep learning via Hessian-free optimization (2010).

    Example:
        >>> int((sg.nn.init.sparse_(sg.empty(10, 3), sparsity=0.25) == 0).sum())
        9
    """
    argument_checks.tensor("sparse_", "tensor", tensor)
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        normal_(tensor, 0, std, generator)
        for column in range(columns):
            tensor[randperm(rows, generator=generator, device=tensor.device)[:zeros], column] = 0
    return tensor
