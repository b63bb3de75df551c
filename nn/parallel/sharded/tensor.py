"""Tensors and parameters of which this rank has some rows, and others the rest."""

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.extensions.distributed.shard_rows import Rows, unsharded
from ....runtime.tensor.overrides import disabled
from ...parameter import Parameter

_gradient: Any = Tensor.grad


class ShardedTensor(Tensor):
    """This rank's rows of a tensor that lies on the ranks of a process group.

    Its shape, its elements and what ops compute of it are those of the rows that are here: optimizers whose rules are
    element by element work on it as on any tensor. Copies keep the place (`detach`, `clone`, `to`, `cpu`); other
    results are plain tensors. Checkpoints, and norms of gradients, know by the place that it is a part.
    """

    __slots__ = ()
    __torch_function__ = disabled
    _rows: Rows

    def full_tensor(self) -> Tensor:
        """The whole tensor, on all ranks of the group, which all call this; else a DistBackendError."""
        return unsharded(self, self._rows)

    def to_local(self) -> Tensor:
        """The rows that are here, as a plain tensor over the same memory."""
        return super().detach()

    def detach(self) -> Any:
        """The rows outside the graph, over the same memory."""
        return of_rows(super().detach(), self._rows)

    def clone(self, *args: Any, **kwargs: Any) -> Any:
        """A copy of the rows; arguments as of `Tensor.clone`."""
        return of_rows(super().clone(*args, **kwargs), self._rows)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The rows in another dtype or on another device; arguments as of `Tensor.to`."""
        result = super().to(*args, **kwargs)
        return result if result is self else of_rows(result, self._rows)

    def cpu(self, *args: Any, **kwargs: Any) -> Any:
        """The rows in the host's memory; arguments as of `Tensor.cpu`."""
        result = super().cpu(*args, **kwargs)
        return result if result is self else of_rows(result, self._rows)

    def __repr__(self) -> str:
        rows = self._rows
        return f"rows {rows.first} to {rows.first + rows.count} of {list(rows.shape)}:\n{self.to_local()!r}"


class ShardedParameter(ShardedTensor, Parameter):
    """This rank's rows of a parameter: what `fully_shard` leaves in a module, and optimizers change.

    Its gradient is that of these rows, averaged over the ranks.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor, requires_grad: bool, rows: Rows) -> Any:
        made: Any = Parameter(data, requires_grad)
        made.__class__ = cls
        made._rows = rows
        return made

    @property
    def grad(self) -> Any:
        """The gradient that `backward` added up here for these rows, or None."""
        result = self._grad
        if result is not None and type(result) is Tensor:
            of_rows(result, self._rows)
        return result

    @grad.setter
    def grad(self, value: Any) -> None:
        _gradient.fset(self, value)

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def of_these_rows(self, value: Any) -> Any:
        """What an optimizer keeps for the parameter: a `value` of its shape is a ShardedTensor of the same rows."""
        if not isinstance(value, Tensor) or tuple(value.shape) != self._rows.local_shape:
            return value
        return of_rows(Tensor.detach(value), self._rows)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = ShardedParameter(self.to_local().clone(), self.requires_grad, self._rows)
        return memo[id(self)]


def of_rows(tensor: Any, rows: Rows) -> Any:
    """A tensor that nobody else has, marked as these rows."""
    tensor.__class__ = ShardedTensor
    tensor._rows = rows
    return tensor
