"""Tensors of which this rank has some rows, a module's parameters cut into such, and gradients joined over ranks."""

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.extensions.distributed import all_to_all
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.groups.reduce_op import ReduceOp, premul_sum
from ....runtime.extensions.distributed.shard_rows import Rows, rows_of, unsharded
from ....runtime.tensor.grad_mode import no_grad
from ....runtime.tensor.overrides import disabled
from ...parameter import Parameter
from ..distributed import agree

MARK = "_fsdp_state"  # the attribute of modules that are sharded

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


class Member:
    """A parameter of which this rank has some rows; several `owners` where weights are tied."""

    def __init__(self, name: str, owners: list[tuple[Any, str]], unsharded: Any, group: ProcessGroup) -> None:
        if not unsharded.dim():
            raise ValueError(
                f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with numel equal to 1."
            )
        self.name, self.owners = name, owners
        self.rows = rows = rows_of(tuple(unsharded.shape), group)
        local = unsharded.detach()[rows.first : rows.first + rows.count].clone()
        self.parameter = ShardedParameter(local, unsharded.requires_grad, rows)
        self.unreduced: Any = None  # the sum of gradients that have not been joined with those of other ranks

    def assign(self, tensor: Any) -> None:
        for module, key in self.owners:
            module._parameters[key] = tensor

    def show(self, tensor: Any) -> None:
        for module, key in self.owners:
            module._parameters[key] = self.parameter
            module.__dict__[key] = tensor

    def hide(self) -> None:
        for module, key in self.owners:
            module._parameters[key] = self.parameter
            module.__dict__.pop(key, None)

    def refresh(self, shown: Any) -> None:
        """Take over a parameter that the program has put in the place of the sharded one, of the same shape."""
        module, key = self.owners[0]
        cached = module._parameters.get(key)
        if cached is self.parameter or cached is shown:
            return
        if cached is None or tuple(cached.shape) != self.rows.local_shape:
            raise RuntimeError(
                f"{self.name}: the sharded parameter of shape {list(self.rows.local_shape)} has been replaced by "
                f"{'nothing' if cached is None else list(cached.shape)}"
            )
        self.parameter = ShardedParameter(cached.data, cached.requires_grad, self.rows)
        self.parameter.grad = cached.grad
        self.assign(self.parameter)


def managed(modules: Iterable[Any]) -> Iterator[Any]:
    seen: set[int] = set()
    waiting = list(modules)[::-1]
    tops = {id(module) for module in waiting}
    while waiting:
        module = waiting.pop()
        if id(module) in seen or (MARK in module.__dict__ and id(module) not in tops):
            continue
        seen.add(id(module))
        yield module
        waiting.extend([child for child in module.children() if child is not None][::-1])


def members_of(modules: list[Any], ignored: set[int], group: ProcessGroup) -> list[Member]:
    """Cut the parameters of modules, each once, but those whose identity is in `ignored`; the modules get their rows.

    A ValueError where one is a number, a DistBackendError where the ranks have other parameters.
    """
    owners: dict[int, list[tuple[Any, str]]] = {}
    results: dict[int, Any] = {}
    for module in managed(modules):
        for key, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in ignored and not isinstance(parameter, ShardedParameter):
                owners.setdefault(id(parameter), []).append((module, key))
                results[id(parameter)] = parameter
    names = {id(one): name for module in modules for name, one in module.named_parameters()}
    agree("fully_shard", [(names[number], one) for number, one in results.items()], group)
    members = [Member(names[number], owners[number], one, group) for number, one in results.items()]
    for member in members:
        member.assign(member.parameter)
    return members


def accumulate(members: Sequence[Member], gradients: Sequence[Any], dtype: Any) -> None:
    """Add gradients of whole parameters to those not joined yet, in `dtype` or their own."""
    with no_grad():
        for member, gradient in zip(members, gradients, strict=True):
            if gradient is not None:
                new = gradient if dtype is None else gradient.to(dtype)
                member.unreduced = new.clone() if member.unreduced is None else member.unreduced.add_(new)


def reduced(
    members: Sequence[Member], gradients: Sequence[Any], group: ProcessGroup, dtype: Any, divisor: float | None
) -> list[Any]:
    """The mean over ranks of gradients, for this rank's rows; all ranks call this.

    With them ranks tell each other which parameters had a part in the loss: a gradient that no rank has is None. They
    are joined in `dtype`, or the parameters', and divided by `divisor`, or the number of ranks.
    """
    with no_grad():
        unsharded = [_unsharded(member, gradient) for member, gradient in zip(members, gradients, strict=True)]
        kinds: dict[Any, list[int]] = {}
        for number, member in enumerate(members):
            kinds.setdefault((dtype or member.parameter.dtype, member.parameter.device), []).append(number)
        matches: list[Any] = [None] * len(members)
        for (kind, _), numbers in kinds.items():
            parts = [members[number] for number in numbers]
            made = _reduce_scattered(parts, [unsharded[number] for number in numbers], group, kind, divisor)
            for number, one in zip(numbers, made, strict=True):
                matches[number] = one
    return matches


def _unsharded(member: Member, gradient: Any) -> Any:
    before, member.unreduced = member.unreduced, None
    if before is None or gradient is None:
        return gradient if before is None else before
    return before.add_(gradient.to(before.dtype))


def _reduce_scattered(
    members: list[Member], gradients: list[Any], group: ProcessGroup, kind: Any, divisor: float | None
) -> list[Any]:
    size = group.size()
    lengths = [member.rows.max_rows * prod(member.rows.shape[1:]) for member in members]
    marks = sum(lengths)  # where it stands which gradients there are
    value = members[0].parameter.to_local().new_zeros((size, marks + len(members)), dtype=kind)
    start = 0
    for number, (member, gradient, length) in enumerate(zip(members, gradients, lengths, strict=True)):
        if gradient is not None:
            _put(value[:, start : start + length], member, gradient.to(kind))
            value[:, marks + number].fill_(1.0)
        start += length
    own = value.new_empty(value.shape[1])
    op = ReduceOp.AVG if divisor is None else premul_sum(1.0 / divisor)
    all_to_all.reduce_scatter_tensor(own, value.view(-1), op, group)
    there = [mark > 0 for mark in own[marks:].tolist()]
    return _parts(own, members, lengths, there)


def _put(into: Any, member: Member, gradient: Any) -> None:
    rows = member.rows
    if rows.shape[0] == rows.max_rows * into.shape[0]:
        into.copy_(gradient.reshape(into.shape))
        return
    for rank in range(into.shape[0]):
        shard = rows.of(rank)
        part = gradient[shard.first : shard.first + shard.count].reshape(-1)
        into[rank, : part.numel()].copy_(part)


def _parts(own: Any, members: list[Member], lengths: list[int], there: list[bool]) -> list[Any]:
    result, start = [], 0
    for member, length, is_there in zip(members, lengths, there, strict=True):
        part = own[start : start + member.rows.elements()].view(member.rows.local_shape)
        result.append(part.to(member.parameter.dtype) if is_there else None)
        start += length
    return result
