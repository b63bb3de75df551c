"""The argument `reduction` of losses, as the number that their ops take."""

from __future__ import annotations

from ...runtime.functions.loss_reduction import reduction_word

_CODES = {"none": 0, "mean": 1, "sum": 2}


def reduction_code(op: str, size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    """The number that the loss ops take; the two older flags overrule `reduction`.

    Raises:
        ValueError: reduction is no name of one.
    """
    return _CODES[reduction_word(op, size_average, reduce, reduction)]
