"""Constraints of tensors in parts: each part has a constraint of its own."""

from __future__ import annotations

from collections.abc import Sequence

from ....generated import ops
from ....generated.tensor import Tensor
from .base import Constraint


class _Joined(Constraint):
    """What constraints of parts have in common.

    Args:
        cseq: a constraint for each part.
        dim: the dimension along which the parts lie.
    """

    def __init__(self, cseq: Sequence[Constraint], dim: int) -> None:
        if not all(isinstance(constraint, Constraint) for constraint in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = [*cseq]
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        return any(constraint.is_discrete for constraint in self.cseq)

    @property
    def event_dim(self) -> int:
        return max(constraint.event_dim for constraint in self.cseq)

    def _in_range(self, value: Tensor) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Joined):
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


class _Stack(_Joined):
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
