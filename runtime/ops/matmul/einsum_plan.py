"""Plans of contractions: products of pairs of tensors and sums over labels, made once per equation and shapes."""

from collections.abc import Sequence, Set
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .einsum_subscripts import Label, Labels, label_sizes

Ints = tuple[int, ...]
Shapes = tuple[Ints, ...]
Sizes = dict[Label, int]


class Simplified(NamedTuple):
    """The diagonals, squeezes and sums that leave an operand each label once, and only labels that are still needed."""

    diagonals: tuple[tuple[int, int], ...]  # pairs of equal labels, whose diagonal comes last
    squeezed: Ints  # dimensions of one element
    summed: Ints
    labels: Labels


class Side(NamedTuple):
    """The layout of one operand of a product: the order of its dimensions, () where unchanged, and the shape then."""

    order: Ints
    shape: Ints


class Product(NamedTuple):
    """The product of the operands at two places, as matrices or element by element, and the result's shape."""

    operand_pair: tuple[int, int]
    left: Side
    right: Side
    kind: str  # mm, bmm or mul
    shape: Ints
    labels: Labels


class Plan(NamedTuple):
    operands: tuple[Simplified, ...]
    products: tuple[Product, ...]
    output: Ints  # the order of the dimensions of the last product, () as it is


@lru_cache(maxsize=1024)
def contraction_plan(op: str, operands: tuple[Labels, ...], output: Labels, shapes: Shapes) -> Plan:
    sizes = label_sizes(op, operands, shapes)
    output_labels = output if len(operands) > 1 else operands[0]  # one alone is added up, to int64 if it is whole
    once = [_once(*pair, output_labels, sizes) for pair in zip(operands, shapes, strict=True)]
    own = [each.labels for each in once]
    first = tuple(_without_sums(each, own[:i] + own[i + 1 :], output) for i, each in enumerate(once))
    labels = [each.labels for each in first]
    order = contraction_order([frozenset(own) for own in labels], frozenset(output), sizes)
    products = []
    for i, j in order:
        b, a = labels.pop(j), labels.pop(i)
        products.append(_product((i, j), a, b, {*output, *(label for own in labels for label in own)}, sizes))
        labels.append(products[-1].labels)
    return Plan(first, tuple(products), _order(labels[0], output))


def _order(labels: Labels, requested: Labels) -> Ints:
    return () if labels == requested else tuple(labels.index(label) for label in requested)


def _once(labels: Labels, shape: Ints, output_labels: Labels, sizes: Sizes) -> Simplified:
    """Each label once: diagonals of those that repeat. What has size 1 goes, unless it is to stay and is 1 for all."""
    known, diagonals = dict(zip(labels, shape, strict=True)), []
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            pair = labels.index(label), labels.index(label, labels.index(label) + 1)
            diagonals.append(pair)
            labels = (*(other for k, other in enumerate(labels) if k not in pair), label)
    gone = tuple(
        k for k, label in enumerate(labels) if known[label] == 1 and (sizes[label] != 1 or label not in output_labels)
    )
    return Simplified(tuple(diagonals), gone, (), tuple(label for k, label in enumerate(labels) if k not in gone))


def _without_sums(own: Simplified, others: Sequence[Labels], output: Labels) -> Simplified:
    """With sums over what nobody else needs: neither the output, nor an operand that still has the label."""
    needed = {label for labels in others for label in labels} | set(output)
    summed = tuple(k for k, label in enumerate(own.labels) if label not in needed)
    return own._replace(summed=summed, labels=tuple(label for label in own.labels if label in needed))


def _product(operand_pair: tuple[int, int], a: Labels, b: Labels, requested: set[Label], sizes: Sizes) -> Product:
    batch = tuple(label for label in a if label in b and label in requested)
    inner = tuple(label for label in a if label in b and label not in requested)
    left = tuple(label for label in a if label not in b)
    right = tuple(label for label in b if label not in a)
    result = (*batch, *left, *right)
    count, batch_count, rows, columns = (prod(sizes[label] for label in group) for group in (batch, inner, left, right))
    if inner:
        kind = "bmm" if batch else "mm"
        front: Ints = (count,) if batch else ()
        shapes: Shapes = ((*front, rows, batch_count), (*front, batch_count, columns))
    else:
        kind, own = "mul", tuple(sizes[label] for label in batch)
        row_sizes, column_sizes = (tuple(sizes[label] for label in group) for group in (left, right))
        shapes = ((*own, *row_sizes, *[1] * len(right)), (*own, *[1] * len(left), *column_sizes))
    sides = [
        Side(_order(own, order), shape)
        for own, order, shape in zip((a, b), ((*batch, *left, *inner), (*batch, *inner, *right)), shapes, strict=True)
    ]
    return Product(operand_pair, sides[0], sides[1], kind, tuple(sizes[label] for label in result), result)


Order = list[tuple[int, int]]  # pairs of positions in the list, from which both go and at whose end the result comes

_OPTIMAL_ORDER_LIMIT = 6  # operands ordered in the best way; more of them by always taking the cheapest pair
_MAX_CACHED = 52  # labels that NumPy can tell apart


def contraction_order(operands: Sequence[Set[Label]], output: Set[Label], sizes: Sizes) -> Order:
    numbers = {label: number for number, label in enumerate(sorted(set().union(*operands), key=str))}
    path = [tuple(range(len(operands)))]
    if len(operands) > 2 and len(numbers) <= _MAX_CACHED:
        args: list[Any] = []
        for labels in operands:
            args += np.broadcast_to(0.0, [sizes[label] for label in labels]), [numbers[label] for label in labels]
        remaining = [numbers[label] for label in output if label in numbers]
        how = "optimal" if len(operands) <= _OPTIMAL_ORDER_LIMIT else "greedy"
        path = np.einsum_path(*args, remaining, optimize=how)[0][1:]
    return _in_pairs(path, len(operands))


def _in_pairs(path: Sequence[Ints], count: int) -> Order:
    """An order of `count` operands in which more than two may be contracted at once, pair by pair."""
    order: Order = []
    for step in path:
        *others, last = sorted(step)
        for position in reversed(others):
            order.append((position, last))
            count -= 1
            last = count - 1
    return order
