"""The subscripts of einsum: from an equation and the operands' shapes to a label for every dimension.

A label is a letter, or for a dimension that an ellipsis stands for a negative number: -1 is the last of them.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ...errors import ShapeError

Label = str | int
Labels = tuple[Label, ...]
Shape = tuple[int, ...]


class Subscripts(NamedTuple):
    """A parsed equation: the labels of each operand and of the result, and how large each label is."""

    operands: tuple[Labels, ...]
    output: Labels
    sizes: dict[Label, int]


@lru_cache(maxsize=1024)
def parsed(op: str, equation: str, shapes: tuple[Shape, ...]) -> Subscripts:
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        fewer = "fewer" if len(terms) > len(shapes) else "more"
        raise ShapeError(f"{op}(): {fewer} operands were provided than specified in the equation")
    for number, term in enumerate(terms):
        _check_term(op, equation, f"operand {number}", term)
    operands = tuple(_labels(op, number, *pair) for number, pair in enumerate(zip(terms, shapes, strict=True)))
    sizes = label_sizes(op, operands, shapes)
    if not arrow:
        return Subscripts(operands, _implicit(operands), sizes)
    _check_term(op, equation, "output", right)
    dots = sorted((label for label in sizes if isinstance(label, int)), key=int)
    return Subscripts(operands, _output(op, right, dots, sizes), sizes)


def _check_term(op: str, equation: str, where: str, term: str) -> None:
    rest = term.replace("...", "", 1)
    if "." in rest:
        known = "..." in term
        raise RuntimeError(
            f"{op}(): found '.' for {where} "
            + ("for which an ellipsis was already found" if known else "that is not part of any ellipsis")
        )
    wrong = re.search(r"[^a-zA-Z]", rest)
    if wrong:
        raise RuntimeError(
            f"{op}(): invalid subscript given at index {equation.find(wrong[0])} in the equation string, subscripts "
            f"must be in [a-zA-Z], but got {wrong[0]!r}"
        )


def _labels(op: str, number: int, term: str, shape: Shape) -> Labels:
    before, dots, after = term.partition("...")
    more = len(shape) - len(before) - len(after)
    if more < 0 or more and not dots:
        raise ShapeError(
            f"{op}(): the number of subscripts in the equation ({len(before) + len(after)}) "
            + ("is more than" if dots else "does not match")
            + f" the number of dimensions ({len(shape)}) for operand {number}"
            + ("" if dots else " and no ellipsis was given")
        )
    return (*before, *range(-more, 0), *after)


def label_sizes(op: str, operands: Sequence[Labels], shapes: Sequence[Shape]) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for number, (labels, shape) in enumerate(zip(operands, shapes, strict=True)):
        own: dict[Label, int] = {}
        for label, size in zip(labels, shape, strict=True):
            if own.setdefault(label, size) != size:
                raise ShapeError(
                    f"{op}(): subscript {label} is repeated for operand {number} but the sizes don't match, "
                    f"{size} != {own[label]}"
                )
            known = sizes.get(label, 1)
            if 1 not in (size, known) and size != known:
                shown = label if isinstance(label, str) else "..."
                raise ShapeError(
                    f"{op}(): subscript {shown} has size {size} for operand {number} which does not broadcast "
                    f"with previously seen size {known}"
                )
            sizes[label] = size if known == 1 else known
    return sizes


def _implicit(operands: Sequence[Labels]) -> Labels:
    """Without "->": what an ellipsis stands for, then the letters that occur once, in the order of the alphabet."""
    all_ = [label for labels in operands for label in labels]
    dots = sorted({label for label in all_ if isinstance(label, int)})
    return (*dots, *sorted(label for label in all_ if isinstance(label, str) and all_.count(label) == 1))


def _output(op: str, term: str, dots: Sequence[Label], sizes: dict[Label, int]) -> Labels:
    before, ellipsis, after = term.partition("...")
    for dim_label in before + after:
        if term.count(dim_label) > 1:
            raise RuntimeError(f"{op}(): output subscript {dim_label} appears more than once in the output")
        if dim_label not in sizes:
            raise RuntimeError(
                f"{op}(): output subscript {dim_label} does not appear in the equation for any input operand"
            )
    return (*before, *(dots if ellipsis else ()), *after)
