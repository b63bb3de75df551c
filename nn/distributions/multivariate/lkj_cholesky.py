"""The distribution of Lewandowski, Kurowicka and Joe, of Cholesky factors of correlation matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import arange
from ....runtime.modes.grad_mode import no_grad
from ....runtime.tensor.dtypes import finfo
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..distribution import Distribution
from ..gammas.beta import Beta
from ..parameters import _standard_normal, broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The LKJ distribution of lower Cholesky factors of correlation matrices.

    Formula: p(L L^T) is proportional to det(L L^T)^(concentration - 1)

    With concentration 1 all correlation matrices are equally probable; the greater it is, the nearer they are to the
    identity. Samples are made row by row, the method of the onion: Lewandowski, Kurowicka and Joe, 2009.

    Args:
        dim: the size of the matrices, at least 2.
        concentration: positive. Default: 1.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The shape of concentration is the batch shape, and the event shape (dim, dim).

    Raises:
        ValueError: a size below 2, a concentration that is not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> lkj = sg.distributions.LKJCholesky(3, 0.5)
        >>> lkj.sample().shape, lkj.log_prob(sg.eye(3))
        (specgrad.Size([3, 3]), tensor(-2.5310))
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        kind: dict[str, Any] = {"dtype": self.concentration.dtype, "device": self.concentration.device}
        half = 0.5 * arange(dim, **kind).clamp(min=1)  # of the entries before the diagonal; the first row has none
        self._beta = Beta(half, (self.concentration + 0.5 * (dim - 1)).unsqueeze(-1) - half)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(LKJCholesky, batch_shape, _instance, "concentration")
        new.dim, new._beta = self.dim, self._beta.expand((*batch_shape, self.dim))
        return new

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            squares = self._beta.sample(sample_shape).unsqueeze(-1)  # of the lengths of rows before the diagonal
            normal = _standard_normal(shape, self.concentration.dtype, self.concentration.device).tril(-1)
            directions = normal / ops.norm(normal, dim=-1, keepdim=True)
            directions[..., 0, :] = 0.0
            rows = squares.sqrt() * directions
            rest = (1 - rows.square().sum(-1)).clamp(min=finfo(rows.dtype).tiny)
            return rows + ops.diag_embed(rest.sqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        order = arange(2, self.dim + 1, device=self.concentration.device)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        return (powers * value.diagonal(0, -1, -2)[..., 1:].log()).sum(-1) - self._log_volume()

    def _log_volume(self) -> Tensor:
        """The logarithm of the integral of det^(concentration - 1) over factors."""
        others = self.dim - 1
        shape = self.concentration + 0.5 * others
        multivariate = ops.mvlgamma(shape - 0.5, others)
        return 0.5 * others * math.log(math.pi) + multivariate - shape.lgamma() * others
