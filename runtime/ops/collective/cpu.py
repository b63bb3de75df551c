"""Kernels of collectives: what a group's ranks in this process begin on arrays, and what they have when all is done."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...dispatch.ranks import Ranks
from ..matmul.cpu import linear, matmul2d_as_stored

PIECES = 4  # at most, of a product beside which a call is under way, and is driven on between them
ENOUGH = 1 << 27  # products of two numbers in a piece: of fewer, cutting costs more than what is hidden behind them


def _on_each(group: Ranks, self: np.ndarray, begin: Any) -> np.ndarray:
    pairs = zip(group.members(), group.parts(self), strict=True)
    return group.stacked(group.run([begin(member, own) for member, own in pairs]))


def all_reduce(self: np.ndarray, reduce: str, group: Ranks) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.all_reduce(own, reduce))


def broadcast_from(self: np.ndarray, rank: int, group: Ranks) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.broadcast(own, rank))


def reduce_to(self: np.ndarray, rank: int, group: Ranks) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.reduce(own, rank))


def gather_to(self: np.ndarray, rank: int, group: Ranks) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.gather(own, rank))


def scatter_from(self: np.ndarray, rank: int, group: Ranks) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.scatter(own, rank))


def all_to_all(
    self: np.ndarray, output_split_sizes: Sequence[int], input_split_sizes: Sequence[int], group: Ranks
) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.all_to_all(own, output_split_sizes, input_split_sizes))


def send_recv(self: np.ndarray, dst: Sequence[int], src: Sequence[int], group: Ranks) -> np.ndarray:
    def begin(member: Any, own: np.ndarray) -> Any:
        number = member.rank()
        return member.send_recv(own, dst[number % len(dst)], src[number % len(src)])

    return _on_each(group, self, begin)


def _gathered(group: Ranks, self: np.ndarray, dim: int) -> list[np.ndarray]:
    pairs = zip(group.members(), group.parts(self), strict=True)
    result = group.run([member.all_gather(own) for member, own in pairs])
    return [one.reshape(-1, *one.shape[2:]) if dim == 0 else np.concatenate(one, dim) for one in result]


def _split(array: np.ndarray, dim: int, count: int) -> np.ndarray:
    shape = array.shape
    parts = array.reshape(*shape[:dim], count, shape[dim] // count, *shape[dim + 1 :])
    return np.moveaxis(parts, dim, 0)


def all_gather(self: np.ndarray, dim: int, group: Ranks) -> np.ndarray:
    return group.stacked(_gathered(group, self, dim))


def reduce_scatter(self: np.ndarray, dim: int, group: Ranks) -> np.ndarray:
    return _on_each(group, self, lambda member, own: member.reduce_scatter(_split(own, dim, group.size())))


def copy_to_ranks(self: np.ndarray, group: Ranks) -> np.ndarray:
    return group.stacked([np.array(own) for own in group.copies(self)])


def sum_of_ranks(self: np.ndarray, group: Ranks) -> np.ndarray:
    pairs = zip(group.members(), group.parts(self), strict=True)
    return group.run([member.all_reduce(own, "sum") for member, own in pairs])[0]


def gather_from_ranks(self: np.ndarray, dim: int, group: Ranks) -> np.ndarray:
    return _gathered(group, self, dim)[0]


def scatter_to_ranks(self: np.ndarray, dim: int, group: Ranks) -> np.ndarray:
    pairs = zip(group.members(), group.copies(self), strict=True)
    return group.stacked([np.array(_split(every, dim, group.size())[member.rank()]) for member, every in pairs])


def column_parallel_linear(self: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, group: Ranks) -> np.ndarray:
    biases = [None] * len(group.members()) if bias is None else group.parts(bias)
    triples = zip(group.copies(self), group.parts(weight), biases, strict=True)
    return group.stacked([linear(*triple) for triple in triples])


def column_parallel_linear_backward(
    output_mask: Sequence[bool], grad: np.ndarray, self: np.ndarray | None, weight: np.ndarray | None, group: Ranks
) -> tuple[np.ndarray | None, ...]:
    """The gradients; that of the input is summed over the ranks while those of weight and bias are computed."""
    members, grads = group.members(), group.parts(grad)
    begun: list[Any] = []
    matches: list[np.ndarray | None] = [None, None, None]
    if output_mask[0] and weight is not None:
        triples = zip(members, grads, group.parts(weight), strict=True)
        begun = [member.all_reduce(matmul2d_as_stored(own, rows), "sum") for member, own, rows in triples]
    if output_mask[1] and self is not None:
        triples = zip(members, grads, group.copies(self), strict=True)
        matches[1] = group.stacked([_weight_backward(own, every, member) for member, own, every in triples])
    if output_mask[2]:
        matches[2] = group.stacked([own.sum(0) for own in grads])
    if begun:
        matches[0] = group.run(begun)[0]
    return tuple(matches)


def _weight_backward(grad: np.ndarray, input: np.ndarray, member: Any) -> np.ndarray:
    """grad^T @ input in pieces, between which the calls of the group are driven on: of rows, read where they are; of
    outputs where adding the products would cost more, and where two bytes a number would lose digits each time.
    """
    by_rows = len(grad) >= max(grad.shape[1], input.shape[1]) and len(grad) and grad.itemsize > 2
    count = min(PIECES, max(1, grad.size * input.shape[1] // ENOUGH))
    if by_rows:
        first, *rest = _pieces(len(grad), count)
        result: np.ndarray = matmul2d_as_stored(grad[first].T, input[first])
        for piece in rest:
            member.advance()
            own = matmul2d_as_stored(grad[piece].T, input[piece])
            with np.errstate(all="ignore"):  # inf and nan are results
                result += own
        return result
    result = np.empty((grad.shape[1], input.shape[1]), grad.dtype)
    for piece in _pieces(grad.shape[1], count):
        result[piece] = matmul2d_as_stored(np.ascontiguousarray(grad[:, piece]).T, input)
        member.advance()
    return result


def _pieces(size: int, count: int) -> list[slice]:
    step = max(1, -(-size // count))
    return [slice(first, first + step) for first in range(0, size, step)]


def vocab_parallel_cross_entropy(self: np.ndarray, target: np.ndarray, group: Ranks) -> tuple[np.ndarray, np.ndarray]:
    """The losses, and the logarithms of the sums of exponentials over the classes of all ranks."""
    members, parts = group.members(), group.parts(self)
    _refuse(target, group.size() * self.shape[-1])
    max_of_rows = group.run([m.all_reduce(_row_max(own), "amax") for m, own in zip(members, parts, strict=True)])
    triples = zip(members, parts, max_of_rows, strict=True)
    sums = group.run([m.all_reduce(_sums(own, row_max, target, m.rank()), "sum") for m, own, row_max in triples])
    logarithms = np.log(sums[0][0]) + max_of_rows[0]
    return logarithms - sums[0][1], logarithms


def _row_max(own: np.ndarray) -> np.ndarray:
    row_max = own.max(1, initial=-np.inf)
    return np.where(row_max == -np.inf, np.finfo(own.dtype).min, row_max)


def _sums(own: np.ndarray, max_of_rows: np.ndarray, target: np.ndarray, rank: int) -> np.ndarray:
    """The sum of this rank's exponentials, and the logit of the target where this rank has it, else 0."""
    rows, columns = _own_targets(own, target, rank)
    result = np.zeros((2, len(own)), own.dtype)
    result[0] = np.exp(own - max_of_rows[:, None]).sum(1)
    result[1, rows] = own[rows, columns]
    return result


def _own_targets(own: np.ndarray, target: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    column = target - rank * own.shape[1]
    rows = np.flatnonzero((column >= 0) & (column < own.shape[1]))
    return rows, column[rows]


def _refuse(target: np.ndarray, classes: int) -> None:
    wrong = target[(target < 0) | (target >= classes)]
    if wrong.size:
        raise IndexError(f"vocab_parallel_cross_entropy(): Target {wrong[0]} is out of bounds for {classes} classes")


def vocab_parallel_cross_entropy_backward(
    grads: Sequence[np.ndarray | None], self: np.ndarray, target: np.ndarray, logsumexp: np.ndarray, group: Ranks
) -> np.ndarray:
    """(g + h) * softmax(x), less g in the column of the target: g and h are the gradients of losses and logarithms."""
    of_loss, of_logarithm = (np.zeros(len(target), self.dtype) if grad is None else grad for grad in grads)
    begin = partial(_logits_backward, of_loss, of_loss + of_logarithm, target, logsumexp)
    pairs = zip(group.members(), group.parts(self), strict=True)
    return group.stacked([begin(own, member.rank()) for member, own in pairs])


def _logits_backward(
    of_loss: np.ndarray, of_both: np.ndarray, target: np.ndarray, logsumexp: np.ndarray, own: np.ndarray, rank: int
) -> np.ndarray:
    result: np.ndarray = np.exp(own - logsumexp[:, None]) * of_both[:, None]
    rows, columns = _own_targets(own, target, rank)
    result[rows, columns] -= of_loss[rows]
    return result
