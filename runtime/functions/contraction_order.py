"""In which order to contract several tensors, two at a time: the fewest multiplications, found once for each shape."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any

Labels = frozenset[Hashable]
Sizes = Mapping[Any, int]
Order = list[tuple[int, int]]  # pairs of places in the list, from which both go and at whose end the result comes

_FEW = 6  # so many operands are ordered in the best way; more of them by always taking the cheapest pair


def contraction_order(operands: Sequence[Labels], output: Labels, sizes: Sizes) -> Order:
    """The pairs to contract, one after the other."""
    if len(operands) < 3:
        return [(0, 1)] * (len(operands) - 1)
    best = _best_tree if len(operands) <= _FEW else _greedy_tree
    return _pairs(best(list(operands), output, sizes))


def _kept(group: Sequence[int], operands: Sequence[Labels], output: Labels) -> Labels:
    """The labels that the product of a group of operands has: those that the others or the output need."""
    others: set[Hashable] = set(output)
    for number, labels in enumerate(operands):
        if number not in group:
            others |= labels
    return frozenset(label for number in group for label in operands[number]) & others


def _volume(labels: Labels, sizes: Sizes) -> int:
    return prod(sizes[label] for label in labels)


class _Tree(tuple):
    """A pair of trees; a leaf is the number of an operand."""


def _best_tree(operands: list[Labels], output: Labels, sizes: Sizes) -> object:
    """The tree with the fewest multiplications, from the best trees of all smaller groups."""
    count = len(operands)
    best: dict[tuple[int, ...], tuple[float, object]] = {(i,): (0, i) for i in range(count)}
    kept = {group: _kept(group, operands, output) for n in range(1, count + 1) for group in _groups(count, n)}
    for n in range(2, count + 1):
        for group in _groups(count, n):
            candidates = []
            for part in _halves(group):
                rest = tuple(i for i in group if i not in part)
                work = _volume(kept[part] | kept[rest], sizes)
                (first, left), (second, right) = best[part], best[rest]
                candidates.append((first + second + work, _Tree((left, right))))
            best[group] = min(candidates, key=lambda pair: pair[0])
    return best[tuple(range(count))][1]


def _groups(count: int, size: int) -> Iterator[tuple[int, ...]]:
    return combinations(range(count), size)


def _halves(group: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The parts of a group that hold its first operand, but for the whole group."""
    for n in range(len(group) - 1):
        for more in combinations(group[1:], n):
            yield (group[0], *more)


def _greedy_tree(operands: list[Labels], output: Labels, sizes: Sizes) -> object:
    """The tree that always takes the pair after which the least memory is needed, and of these the cheapest."""
    trees: list[object] = list(range(len(operands)))
    while len(trees) > 1:
        found = []
        for i, j in combinations(range(len(trees)), 2):
            result = _kept((i, j), operands, output)
            growth = _volume(result, sizes) - _volume(operands[i], sizes) - _volume(operands[j], sizes)
            found.append(((growth, _volume(operands[i] | operands[j], sizes)), i, j, result))
        _, i, j, result = min(found, key=lambda item: item[0])
        tree = _Tree((trees[i], trees[j]))
        operands = [labels for k, labels in enumerate(operands) if k not in (i, j)] + [result]
        trees = [other for k, other in enumerate(trees) if k not in (i, j)] + [tree]
    return trees[0]


def _pairs(tree: object) -> Order:
    """A tree as places in a list that gets shorter."""
    leaves: list[object] = [*sorted(_leaves(tree))]
    order: Order = []

    def contract(node: object) -> object:
        if not isinstance(node, _Tree):
            return node
        parts = [contract(part) for part in node]
        pair = sorted(leaves.index(part) for part in parts)
        order.append((pair[0], pair[1]))
        for place in reversed(pair):
            leaves.pop(place)
        leaves.append(node)
        return node

    contract(tree)
    return order


def _leaves(tree: object) -> list[int]:
    if isinstance(tree, _Tree):
        return [leaf for part in tree for leaf in _leaves(part)]
    assert isinstance(tree, int)
    return [tree]
