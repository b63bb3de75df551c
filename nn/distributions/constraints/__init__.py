"""Regions that parameters and samples lie in, under PyTorch's names.

Constraints with bounds or parts are made by calling (`interval(0, 1)`), the others are there (`simplex`).

Example:
    >>> from specgrad.distributions import constraints
    >>> constraints.interval(0.0, 2.0), constraints.simplex
    (Interval(lower_bound=0.0, upper_bound=2.0), Simplex())
"""

from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.ops.creation import full
from ....runtime.tensor.dtypes import bool_, finfo
from ..base.parameters import derived
from .base import (
    Constraint,
    MixtureSameFamilyConstraint,
    _Boolean,
    _Dependent,
    _DependentProperty,
    _GreaterThan,
    _GreaterThanEq,
    _HalfOpenInterval,
    _IndependentConstraint,
    _IntegerGreaterThan,
    _IntegerInterval,
    _Interval,
    _LessThan,
    _Real,
    is_dependent,
)
from .base import _IntegerLessThan as _IntegerLessThan
from .base import holds_everywhere as holds_everywhere

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

_SUM = 1e-6  # how far the sum of probabilities may be from one, and entries of a symmetric matrix apart


class _OneHot(Constraint):
    """Vectors of zeros with a single one."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of numbers that are not negative, with the sum one."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < _SUM)


class _Multinomial(Constraint):
    """Vectors of counts with a sum of at most `upper_bound`, which fewer trials than that may give as well."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    """Matrices with zeros above the diagonal; they need not be square."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        positive = (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)
        return _LowerTriangular().check(value) & positive


class _CorrCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal and rows of length one: Cholesky factors of correlations."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10  # ten roundings for each product
        length = ops.norm(value.detach(), dim=-1)
        return (length - 1).abs().le(tolerance).all(-1) & _LowerCholesky().check(value)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        rows, columns = value.shape[-2:]
        return full(value.shape[:-2], rows == columns, dtype=bool_, device=value.device)


class _Symmetric(_Square):
    """Symmetric matrices, to a millionth."""

    def check(self, value: Tensor) -> Tensor:
        if value.size(-2) != value.size(-1):
            return super().check(value)
        return ((value - value.mT).abs() <= _SUM + 1e-5 * value.mT.abs()).flatten(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        if value.size(-2) != value.size(-1):
            return symmetric
        others = ~symmetric[..., None, None]  # may hold numbers, as NaN, that have no eigenvalues
        return symmetric & (ops.linalg_eigvalsh(value.masked_fill(others, 0.0)) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices with positive eigenvalues: those that have a Cholesky factor."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        if value.size(-2) != value.size(-1):
            return symmetric
        return symmetric & (ops.linalg_cholesky_ex(value)[1] == 0)


class _Combined(Constraint):
    def __init__(self, cseq: Sequence[Constraint], dim: int) -> None:
        if not all(isinstance(constraint, Constraint) for constraint in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = [*cseq]
        self.dim = dim
        super().__init__()

    is_discrete = derived(lambda self: any(constraint.is_discrete for constraint in self.cseq))
    event_dim = derived(lambda self: max(constraint.event_dim for constraint in self.cseq))

    def _in_range(self, value: Tensor) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Combined):
    """Constraints of the parts of what `cat` joins.

    Args:
        cseq: a constraint for each part.
        dim: the dimension along which the parts lie.
        lengths: the size of each part there. Default: 1 for each.
    """

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else [*lengths]
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Tensor) -> Tensor:
        self._in_range(value)
        parts = value.split(self.lengths, self.dim)
        checked = [constraint.check(part) for constraint, part in zip(self.cseq, parts, strict=True)]
        return ops.cat(checked, self.dim)


class _Stack(_Combined):
    """Constraints of the parts of what `stack` joins.

    Args:
        cseq: a constraint for each part.
        dim: the dimension along which the parts lie.
    """

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        super().__init__(cseq, dim)

    @property
    def event_dim(self) -> int:
        dim = super().event_dim
        return dim + 1 if self.dim + dim < 0 else dim  # the parts lie along a dimension of the event

    def check(self, value: Tensor) -> Tensor:
        self._in_range(value)
        parts = value.unbind(self.dim)
        checked = [constraint.check(part) for constraint, part in zip(self.cseq, parts, strict=True)]
        return ops.stack(checked, self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
