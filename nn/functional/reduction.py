"""The argument `reduction` of losses."""

from __future__ import annotations

import warnings

from ...runtime import checks

_CODES = {"none": 0, "mean": 1, "sum": 2}


def reduction_code(op: str, size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    """The number that the loss ops take; the two older flags overrule `reduction`.

    Raises:
        ValueError: reduction is no name of one.
    """
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=3,
        )
    if checks.string(op, "reduction", reduction) not in _CODES:
        raise ValueError(
            f"{op}(): {reduction!r} is not a valid value for reduction: expected one of {', '.join(_CODES)}"
        )
    return _CODES[reduction]
