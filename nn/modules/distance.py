"""Distances between vectors."""

from ...generated.tensor import Tensor
from .. import functional as F
from .module.base import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class CosineSimilarity(Module):
    """The cosine of the angle between vectors.

    Formula: y = sum(x1 x2) / (max(|x1|, eps) max(|x2|, eps))

    Args:
        dim: the dimension of the vectors.
        eps: the least length to divide by.

    Shape: Input1, input2: broadcastable to each other. Output: that of both, without dim.

    Raises: IndexError: a dim that the inputs do not have.

    Example:
        >>> sg.nn.CosineSimilarity()(sg.tensor([[3.0, 4.0]]), sg.tensor([[4.0, 3.0]]))
        tensor([0.9600])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors.

    Formula: y = |x1 - x2 + eps|_p

    Args:
        p: which norm; may be inf.
        eps: keeps the norm away from zero, where its gradient is undefined.
        keepdim: whether the dimension of the vectors stays, with one element.

    Shape: Input1, input2: (N, D) or (D). Output: (N) or (); (N, 1) or (1) with keepdim.

    Raises: RuntimeError: shapes that do not broadcast.

    Example:
        >>> sg.nn.PairwiseDistance(p=1)(sg.tensor([[3.0, 4.0]]), sg.zeros(1, 2))
        tensor([7.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
