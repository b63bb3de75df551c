"""Linear layers whose weight is split over ranks, by outputs or by inputs."""

from __future__ import annotations

from typing import Any, Self

from ....generated.ops import (
    all_gather,
    column_parallel_linear,
    copy_to_ranks,
    gather_from_ranks,
    linear,
    reduce_scatter,
    scatter_to_ranks,
    sum_of_ranks,
)
from ...modules.linear import Linear
from ...modules.module import Module
from .parts import group_of, own_part, part_size, same_on_all


class _ParallelLinear(Module):
    """A layer with parts of the weight and of the bias of a `Linear`, which a subclass takes."""

    in_features: int
    out_features: int
    weight: Any
    bias: Any
    group: Any

    def _take(self, full: Linear) -> None:
        raise NotImplementedError

    @classmethod
    def from_linear(cls, full: Linear, **options: Any) -> Self:
        """Split a layer: that of the group's first rank counts.

        Args:
            whole: the layer, of one shape on all ranks.
            **options: as of the class.
        """
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

    Raises:
        ValueError: outputs that cannot be shared out equally, or there is no process group.

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
        group: the process group; the default one when left out.
        device, dtype: those of the parameters.

    Shape:
        x (*, in_features / ranks), or (*, in_features) without `input_is_parallel`; y (*, out_features), the same on
        all ranks, or with `sequence_dim` each rank's part of it.

    Raises:
        ValueError: inputs that cannot be shared out equally, or there is no process group.

    Source: Shoeybi et al. 2019, section 3; for sequences Korthikanti et al. 2022, section 4.2.2.

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
