"""Sums of products over named dimensions, as matrix products: what einsum, tensordot and their kin are composed of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple, TypeAlias

from ..contraction_order import Order, contraction_order
from ..subscripts import Label, Labels, Subscripts, label_sizes, parsed

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import
Shapes = tuple[tuple[int, ...], ...]


class _Pair(NamedTuple):
    """The labels of two operands by what becomes of them: in both and kept, summed over, in one of them alone."""

    batch: Labels
    inner: Labels
    left: Labels
    right: Labels

    @property
    def result(self) -> Labels:
        return (*self.batch, *self.left, *self.right)


def contracted(equation: str, operands: Sequence[Tensor]) -> Tensor:
    """The operands multiplied and summed as an equation of einsum says."""
    return _product(parsed("einsum", equation, _shapes(operands)), operands)


def contracted_over(a: Tensor, b: Tensor, dims_a: Sequence[int], dims_b: Sequence[int]) -> Tensor:
    """Summed over pairs of dimensions; the others of `a`, then the others of `b` are left."""
    labels_a = tuple(range(a.ndim))
    pairs = {d % b.ndim: c % a.ndim for c, d in zip(dims_a, dims_b, strict=True)}
    labels_b = tuple(pairs.get(d, a.ndim + d) for d in range(b.ndim))
    output = tuple(label for label in (*labels_a, *labels_b) if label not in pairs.values())
    operands = (labels_a, labels_b)
    return _product(Subscripts(operands, output, label_sizes("tensordot", operands, _shapes((a, b)))), (a, b))


def _shapes(operands: Sequence[Tensor]) -> Shapes:
    return tuple(tuple(x.shape) for x in operands)


def _product(subscripts: Subscripts, operands: Sequence[Tensor]) -> Tensor:
    """The whole contraction, two operands at a time."""
    output, sizes = subscripts.output, subscripts.sizes
    alone = [_lonely(i, subscripts) for i in range(len(operands))]
    parts = [_simplified(*item, sizes) for item in zip(operands, subscripts.operands, alone, strict=True)]
    tensors, labels = [part[0] for part in parts], [part[1] for part in parts]
    for i, j in _order(tuple(labels), output, tuple(sizes.items())):
        b, a = (tensors.pop(j), labels.pop(j)), (tensors.pop(i), labels.pop(i))
        pair = _pair(a[1], b[1], {*output, *(label for others in labels for label in others)})
        tensors.append(_multiplied(a, b, pair, sizes))
        labels.append(pair.result)
    places = [labels[0].index(label) for label in output]
    return tensors[0] if places == list(range(len(places))) else tensors[0].permute(places)


@lru_cache(maxsize=1024)
def _order(labels: tuple[Labels, ...], output: Labels, sizes: tuple[tuple[Label, int], ...]) -> Order:
    return contraction_order([frozenset(own) for own in labels], frozenset(output), dict(sizes))


def _lonely(number: int, subscripts: Subscripts) -> set[Label]:
    """The labels of one operand that nobody else asks for."""
    others = {label for k, labels in enumerate(subscripts.operands) if k != number for label in labels}
    return set(subscripts.operands[number]) - others - set(subscripts.output)


def _simplified(x: Tensor, labels: Labels, lonely: set[Label], sizes: dict[Label, int]) -> tuple[Tensor, Labels]:
    """One operand with each label once, without those that broadcast or that it can sum over alone."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = x.diagonal(0, first, second)
            labels = (*(other for k, other in enumerate(labels) if k not in (first, second)), label)
    wide = [k for k, label in enumerate(labels) if x.shape[k] == 1 != sizes[label]]
    if wide:
        x, labels = x.squeeze(wide), tuple(label for k, label in enumerate(labels) if k not in wide)
    summed = [k for k, label in enumerate(labels) if label in lonely]
    return (x.sum(summed), tuple(label for label in labels if label not in lonely)) if summed else (x, labels)


def _pair(a: Labels, b: Labels, wanted: set[Label]) -> _Pair:
    both = [label for label in a if label in b]
    return _Pair(
        tuple(label for label in both if label in wanted),
        tuple(label for label in both if label not in wanted),
        tuple(label for label in a if label not in b),
        tuple(label for label in b if label not in a),
    )


def _multiplied(a: tuple[Tensor, Labels], b: tuple[Tensor, Labels], pair: _Pair, sizes: dict[Label, int]) -> Tensor:
    """The product of two operands: one of matrices, or of single numbers where nothing is summed over."""
    if not pair.inner:
        x = _arranged(*a, (*pair.batch, *pair.left))
        return x.reshape((*x.shape, *[1] * len(pair.right))) * _spread(*b, pair)
    counts = [prod(sizes[label] for label in group) for group in pair]
    batch, inner, left, right = counts
    x = _arranged(*a, (*pair.batch, *pair.left, *pair.inner))
    y = _arranged(*b, (*pair.batch, *pair.inner, *pair.right))
    if pair.batch:
        result = x.reshape((batch, left, inner)).bmm(y.reshape((batch, inner, right)))
    else:
        result = x.reshape((left, inner)).mm(y.reshape((inner, right)))
    return result.reshape([sizes[label] for label in pair.result])


def _spread(x: Tensor, labels: Labels, pair: _Pair) -> Tensor:
    """The right operand with a dimension of size 1 for each label that only the left one has."""
    x = _arranged(x, labels, (*pair.batch, *pair.right))
    split = len(pair.batch)
    return x.reshape((*x.shape[:split], *[1] * len(pair.left), *x.shape[split:]))


def _arranged(x: Tensor, labels: Labels, order: Labels) -> Tensor:
    """The dimensions in another order."""
    return x if labels == order else x.permute([labels.index(label) for label in order])
