"""The argument `reduction` of losses (none, mean, sum), and the two older flags that it has replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dispatch.checks import string
from ..errors import warn_user

REDUCTIONS = ("none", "mean", "sum")


def reduction_of_flags(size_average: bool | None, reduce: bool | None) -> str:
    """The word that two older flags stand for, each true when left out, with a warning."""
    word = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn_user(f"size_average and reduce args will be deprecated, please use reduction='{word}' instead.")
    return word


def reduction_word(
    op: str, size_average: bool | None, reduce: bool | None, reduction: Any, choices: Sequence[str] = REDUCTIONS
) -> str:
    """The reduction of a loss; the older flags overrule the word.

    Raises:
        ValueError: reduction is none of `words`.
    """
    if size_average is not None or reduce is not None:
        return reduction_of_flags(size_average, reduce)
    if string(op, "reduction", reduction) not in choices:
        raise ValueError(
            f"{op}(): {reduction!r} is not a valid value for reduction: expected one of {', '.join(choices)}"
        )
    return str(reduction)
