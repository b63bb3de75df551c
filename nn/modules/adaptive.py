"""The softmax over many classes, most of them rare, in clusters."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...generated import ops
from ...generated.tensor import Tensor
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module.base import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class ASMoutput(NamedTuple):
    """The log probability of each target, and the loss: the negative of their mean."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities of classes sorted by frequency: frequent ones in the head, the others in clusters below it.

    Formula: log p(y) = log softmax(head x)_y for y < cutoffs[0]; for y in cluster i, with h_i x the head's row of that
    cluster, log p(y) = log softmax(head x)_{h_i} + log softmax(tail_i x)_{y - cutoffs[i]}

    A cluster's vectors have in_features // div_value^(i + 1) features, and it is computed only for the rows whose
    target lies in it.

    Source: Grave, Joulin, Cisse, Grangier and Jegou, "Efficient softmax approximation for GPUs" (2016).

    Args:
        in_features: features of each row.
        n_classes: number of classes.
        cutoffs: the first class of each cluster, in increasing order.
        div_value: by how much each cluster has fewer features than the one before.
        head_bias: whether the head has a bias.
        device: where the weights lie.
        dtype: their dtype.

    Shape: Input: (N, in_features) or (in_features). Target: (N) or (), classes. Output: those of target, and ().

    Attributes:
        head: the linear map to the frequent classes and one number for each cluster.
        tail: two linear maps, one after the other, for each cluster.

    Raises:
        ValueError: cutoffs that are not increasing, or not between 1 and n_classes - 1.
        RuntimeError: input and target of different sizes, or a target that is no class.

    Example:
        >>> layer = sg.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10])
        >>> output, loss = layer(sg.ones(3, 8), sg.tensor([0, 5, 19]))
        >>> output.shape, bool(loss == -output.mean())
        (specgrad.Size([3]), True)
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.cutoffs = [*_checked(list(cutoffs), n_classes), n_classes]
        self.in_features, self.n_classes, self.div_value, self.head_bias = in_features, n_classes, div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (first, last) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // div_value ** (i + 1))
            inner = Linear(in_features, width, bias=False, **made)
            self.tail.append(Sequential(inner, Linear(width, last - first, bias=False, **made)))

    def reset_parameters(self) -> None:
        """New random weights for all linear maps."""
        for layer in (self.head, *(linear for cluster in self.tail for linear in cluster)):
            layer.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> ASMoutput:
        if target.dim() > 1:
            raise RuntimeError(
                "AdaptiveLogSoftmaxWithLoss(): 0D or 1D target tensor expected, multi-target not supported"
            )
        if tuple(input.shape[:-1]) != tuple(target.shape):
            raise RuntimeError(
                "AdaptiveLogSoftmaxWithLoss(): Input and target should have the same size in the batch dimension, but "
                f"got {list(input.shape)} and {list(target.shape)}"
            )
        if target.dim():
            output = self._log_prob_of(input, target)
        else:
            output = self._log_prob_of(input.unsqueeze(0), target.unsqueeze(0)).squeeze(0)
        return ASMoutput(output, -output.mean())

    def _log_prob_of(self, input: Tensor, target: Tensor) -> Tensor:
        if target.numel() and not 0 <= int(target.min()) <= int(target.max()) < self.n_classes:
            raise RuntimeError(
                f"AdaptiveLogSoftmaxWithLoss(): Target values should be in [0, {self.n_classes - 1}], but values in "
                f"range [{int(target.min())}, {int(target.max())}] were found."
            )
        local_target, parts = target, []
        for i, (first, last) in enumerate(pairwise(self.cutoffs)):
            inside = (target >= first) & (target < last)
            local_target = ops.where(inside, self.shortlist_size + i, local_target)
            rows = inside.nonzero().squeeze(1)
            if rows.numel():
                own = F.log_softmax(self.tail[i](input[rows]), 1)
                parts.append((rows, own.gather(1, (target[rows] - first).unsqueeze(1)).squeeze(1)))
        output = F.log_softmax(self.head(input), 1).gather(1, local_target.unsqueeze(1)).squeeze(1)
        for rows, part in parts:
            output = output.index_add(0, rows, part)
        return output

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities of all classes, (N, n_classes), for `input` of shape (N, in_features)."""
        head = F.log_softmax(self.head(input), 1)
        clusters = (
            head[:, self.shortlist_size + i, None] + F.log_softmax(t(input), 1) for i, t in enumerate(self.tail)
        )
        return ops.cat([head[:, : self.shortlist_size], *clusters], 1)

    def predict(self, input: Tensor) -> Tensor:
        """The best class of each row of `input`, (N): of the head, or of all where the head prefers a cluster."""
        result = self.head(input).argmax(1)
        rows = (result >= self.shortlist_size).nonzero().squeeze(1)
        return result.index_copy(0, rows, self.log_prob(input[rows]).argmax(1)) if rows.numel() else result


def _checked(cutoffs: list[int], n_classes: int) -> list[int]:
    if not cutoffs:
        raise ValueError("AdaptiveLogSoftmaxWithLoss(): cutoffs should be a sequence of length larger than 0")
    is_integral = all(isinstance(c, int) for c in cutoffs)
    if not is_integral or cutoffs != sorted(set(cutoffs)) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
        raise ValueError(
            "AdaptiveLogSoftmaxWithLoss(): cutoffs should be a sequence of unique, positive integers sorted in an "
            f"increasing order, where each value is between 1 and n_classes-1, but got {cutoffs}"
        )
    return cutoffs
