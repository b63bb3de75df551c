"""Layers that are split over the ranks of a process group: tensor and sequence parallelism.

Source: Shoeybi et al. 2019, "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism";
Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models", for sequences.
"""

from collections.abc import Callable
from typing import Any, Self

from ...generated.ops import (
    all_gather,
    column_parallel_linear,
    copy_to_ranks,
    embedding,
    gather_from_ranks,
    linear,
    reduce_scatter,
    scatter_to_ranks,
    sum_of_ranks,
    where,
)
from ...generated.ops import vocab_parallel_cross_entropy as losses_of_ranks
from ...runtime.extensions.distributed import all_to_all, collectives
from ...runtime.extensions.distributed.groups.process_group import ProcessGroup
from ...runtime.extensions.distributed.world import get_default_group, member
from ...runtime.methods.argument_guard import guard_module
from ...runtime.tensor.grad_mode import no_grad
from ..docstrings import completed_from
from ..modules.linear import Linear
from ..modules.module import Module
from ..modules.sparse import Embedding
from ..parameter import Parameter

__all__ = [
    "ColumnParallelLinear",
    "RowParallelLinear",
    "VocabParallelEmbedding",
    "sum_gradients",
    "vocab_parallel_cross_entropy",
]


def group_of(layer: str, group: Any) -> ProcessGroup:
    """The group that a layer is split over, the default one for None."""
    result = member(group)
    if result is None:
        raise ValueError(f"{layer}: rank {get_default_group().rank()} is not in the group that it is split over")
    return result


def part_size(layer: str, name: str, full: int, group: ProcessGroup) -> int:
    """How much of a size each rank has; a ValueError where it cannot be shared out equally."""
    if full % group.size():
        raise ValueError(f"{layer}: expected {name} to be a multiple of {group.size()} (ranks), got {full}")
    return full // group.size()


def own_part(full: Any, dim: int, group: ProcessGroup) -> Parameter:
    parts = [part.contiguous() for part in full.detach().chunk(group.size(), dim)]
    own = parts[0].new_zeros(parts[0].shape)
    all_to_all.scatter(own, parts if group.rank() == 0 else None, group=group, group_src=0)
    return Parameter(own, full.requires_grad)


def same_on_all(full: Any, group: ProcessGroup) -> Parameter:
    with no_grad():
        own = full.detach().clone()
        collectives.broadcast(own, group=group, group_src=0)
    return Parameter(own, full.requires_grad)


class _ParallelLinear(Module):
    in_features: int
    out_features: int
    weight: Any
    bias: Any
    group: Any

    def _take(self, full: Linear) -> None:
        raise NotImplementedError

    @classmethod
    def from_linear(cls, full: Linear, **options: Any) -> Self:
        """Split `full`, a layer of one shape on all ranks: that of the group's first rank; options as of the class."""
        layer = cls(full.in_features, full.out_features, full.bias is not None, **options)
        layer._take(full)
        return layer

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}, "
            f"ranks={self.group.size()}"
        )


class ColumnParallelLinear(_ParallelLinear):
    """A linear layer of which each rank has some rows of the weight and of the bias, and computes these outputs.

    Formula: y = x W^T + b

    The gradient of x is summed over the ranks while that of the weight is multiplied. Behind it stands a
    RowParallelLinear, with nothing but element-wise functions between them.

    Args:
        in_features: how many numbers go in.
        out_features: how many come out, a multiple of the number of ranks.
        bias: whether there is a bias.
        gather_output: whether all ranks get all outputs.
        sequence_dim: the dimension along which each rank has a part of the input (sequence parallelism); None where all
            have all of it.
        group: the process group; the default one when left out.
        device, dtype: those of the parameters.

    Shape:
        x (*, in_features), the same on all ranks, or with `sequence_dim` each rank's part of it; y (*, out_features),
        or (*, out_features / ranks) without `gather_output`.

    Raises: ValueError: outputs that cannot be shared out equally, or there is no process group.

    Source: Shoeybi et al. 2019, section 3; for sequences Korthikanti et al. 2022, section 4.2.2.

    Example:
        >>> from specgrad import nn
        >>> def in_parts(whole):  # on every rank of a process group
        ...     return nn.parallel.ColumnParallelLinear.from_linear(whole, gather_output=False)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        gather_output: bool = True,
        sequence_dim: int | None = None,
        group: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.gather_output, self.sequence_dim = gather_output, sequence_dim
        self.group = group_of("ColumnParallelLinear", group)
        part_size("ColumnParallelLinear", "out_features", out_features, self.group)
        self._take(Linear(in_features, out_features, bias, device, dtype))

    def _take(self, full: Linear) -> None:
        self.weight = own_part(full.weight, 0, self.group)
        self.bias = None if full.bias is None else own_part(full.bias, 0, self.group)

    def forward(self, input: Any) -> Any:
        """The outputs of this rank's rows, or of all."""
        if self.sequence_dim is not None:
            every = all_gather(input, self.sequence_dim, self.group)
            result = linear(every, self.weight, self.bias)
        else:
            rows = input.reshape(-1, input.shape[-1])
            result = column_parallel_linear(rows, self.weight, self.bias, self.group)
            result = result.view(*input.shape[:-1], self.weight.shape[0])
        return gather_from_ranks(result, -1, self.group) if self.gather_output else result


@completed_from(ColumnParallelLinear)
class RowParallelLinear(_ParallelLinear):
    """A linear layer of which each rank has some columns of the weight and their inputs; the products are summed.

    Formula: y = x_0 W_0^T + ... + x_{n-1} W_{n-1}^T + b

    Args:
        in_features: how many numbers go in, a multiple of the number of ranks.
        out_features: how many come out.
        bias: whether there is a bias; all ranks have all of it, and it is added once.
        input_is_parallel: whether each rank has its part of the input, as behind a ColumnParallelLinear without
            `gather_output`.
        sequence_dim: the dimension along which each rank gets a part of the output (sequence parallelism); None where
            all get all of it.

    Shape:
        x (*, in_features / ranks), or (*, in_features) without `input_is_parallel`; y (*, out_features), the same on
        all ranks, or with `sequence_dim` each rank's part of it.

    Raises: ValueError: inputs that cannot be shared out equally, or there is no process group.

    Example:
        >>> from specgrad import nn
        >>> def in_parts(whole):  # on every rank of a process group
        ...     return nn.parallel.RowParallelLinear.from_linear(whole, input_is_parallel=True)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        input_is_parallel: bool = False,
        sequence_dim: int | None = None,
        group: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.input_is_parallel, self.sequence_dim = input_is_parallel, sequence_dim
        self.group = group_of("RowParallelLinear", group)
        part_size("RowParallelLinear", "in_features", in_features, self.group)
        self._take(Linear(in_features, out_features, bias, device, dtype))

    def _take(self, full: Linear) -> None:
        self.weight = own_part(full.weight, 1, self.group)
        self.bias = None if full.bias is None else same_on_all(full.bias, self.group)

    def forward(self, input: Any) -> Any:
        """The sum of all ranks' products, or this rank's part of it, and the bias."""
        own = input if self.input_is_parallel else scatter_to_ranks(input, -1, self.group)
        product = linear(own, self.weight)
        bias: Any
        if self.sequence_dim is None:
            total, bias = sum_of_ranks(product, self.group), self.bias
        else:
            total = reduce_scatter(product, self.sequence_dim, self.group)
            bias = None if self.bias is None else copy_to_ranks(self.bias, self.group)  # each adds it to its part
        return total if bias is None else total + bias


@completed_from(RowParallelLinear)
class VocabParallelEmbedding(Module):
    """An embedding of which each rank has some rows: those of others are zeros on a rank, and the sum is the result.

    Formula: y = W[i]

    Args:
        num_embeddings: how many rows there are, a multiple of the number of ranks.
        embedding_dim: the size of a row.
        padding_idx: the row that is zeros and gets no gradient, if there is one.

    Shape:
        i (*), the same on all ranks; y (*, embedding_dim), the same on all ranks, or with `sequence_dim` each rank's
        part of it.

    Raises: ValueError: rows that cannot be shared out equally, or there is no process group.

    Source: Shoeybi et al. 2019, section 3.

    Example:
        >>> from specgrad import nn
        >>> def in_parts(whole):  # on every rank of a process group
        ...     return nn.parallel.VocabParallelEmbedding.from_embedding(whole)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        sequence_dim: int | None = None,
        group: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.sequence_dim = sequence_dim
        self.group = group_of("VocabParallelEmbedding", group)
        self._count = part_size("VocabParallelEmbedding", "num_embeddings", num_embeddings, self.group)
        self._take(Embedding(num_embeddings, embedding_dim, padding_idx, device=device, dtype=dtype))

    def _take(self, full: Embedding) -> None:
        self.padding_idx = full.padding_idx
        self.weight = own_part(full.weight, 0, self.group)

    @classmethod
    def from_embedding(cls, full: Embedding, **options: Any) -> Self:
        """Split `full`, a layer of one shape on all ranks: that of the group's first rank; options as of the class."""
        layer = cls(full.num_embeddings, full.embedding_dim, **options)
        layer._take(full)
        return layer

    def forward(self, input: Any) -> Any:
        """The rows, or this rank's part of them; an IndexError for a row that no rank has."""
        if input.numel() and not 0 <= int(input.min()) <= int(input.max()) < self.num_embeddings:
            raise IndexError(f"VocabParallelEmbedding: expected indices from 0 to {self.num_embeddings - 1}")
        column = input - self.group.rank() * self._count
        own = (column >= 0) & (column < self._count)
        rows = embedding(self.weight, where(own, column, 0), self._own_padding())
        product = where(own.unsqueeze(-1), rows, 0)
        if self.sequence_dim is None:
            return sum_of_ranks(product, self.group)
        return reduce_scatter(product, self.sequence_dim, self.group)

    def _own_padding(self) -> int:
        own = -1 if self.padding_idx is None else self.padding_idx - self.group.rank() * self._count
        return own if 0 <= own < self._count else -1

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, ranks={self.group.size()}"


def sum_gradients(module: Module, group: Any = None) -> list[Any]:
    """Sum the gradients of a module's parameters over ranks as soon as they are there.

    For layers that all ranks have alike and each applies to its part of a sequence, such as LayerNorm between layers
    with a `sequence_dim`.

    Args:
        module: the module.
        group: the process group; the default one when left out.

    Returns: Handles; `remove()` of them ends it.
    """
    chosen = group_of("sum_gradients", group)
    return [p.register_hook(_summing(chosen)) for p in module.parameters() if p.requires_grad]


def _summing(group: Any) -> Callable[[Any], Any]:
    def hook(gradient: Any) -> Any:
        total = gradient.clone()
        collectives.all_reduce(total, group=group)
        return total

    return hook


_REDUCTIONS = ("none", "mean", "sum")


def vocab_parallel_cross_entropy(
    input: Any,
    target: Any,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
    group: Any = None,
) -> Any:
    """The cross-entropy of logits of which each rank has those of its own classes: no rank ever has all of them.

    Formula: l_i = log sum_j exp(x_ij) - (1 - s) x_{i, t_i} - s / C sum_j x_ij, with j over the classes of all ranks

    Args:
        input: logits of shape (*, C / ranks), as of a ColumnParallelLinear without `gather_output`.
        target: classes from 0 to C - 1 of shape (*), the same on all ranks.
        ignore_index: a target that adds nothing, and gets no gradient.
        reduction: "none", "mean" (over the targets that count) or "sum".
        label_smoothing: s, from 0 to 1.
        group: the process group; the default one when left out.

    Returns: The loss, the same on all ranks: () or, without reduction, (*).

    Raises:
        ValueError: another reduction, or a label_smoothing outside of [0, 1].
        IndexError: a class that no rank has.

    Source: Shoeybi et al. 2019, section 3.
    """
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction: expected one of {', '.join(_REDUCTIONS)}")
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    chosen = group_of("vocab_parallel_cross_entropy", group)
    logits, classes = input.reshape(-1, input.shape[-1]), target.reshape(-1)
    counted = classes != ignore_index
    loss, logarithm = losses_of_ranks(logits, where(counted, classes, 0), chosen)
    if label_smoothing:
        mean = sum_of_ranks(logits.sum(-1), chosen) / (chosen.size() * input.shape[-1])
        loss = (1 - label_smoothing) * loss + label_smoothing * (logarithm - mean)
    loss = where(counted, loss, 0)
    if reduction == "none":
        return loss.view(target.shape)
    return loss.sum() / counted.sum() if reduction == "mean" else loss.sum()


guard_module(__name__)
