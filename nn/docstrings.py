"""Docstrings of variants: each says what is its own, and the rest is taken over from the docstring of its model."""

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from inspect import cleandoc, signature
from itertools import groupby
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])

_SECTIONS = ("Formula", "Args", "Attributes", "Shape", "Returns", "Raises", "Source", "Example")
_TITLE = re.compile(rf"^(?=(?:{'|'.join(_SECTIONS)}):)", re.MULTILINE)
_ENTRY = re.compile(r"^    (?=\S)", re.MULTILINE)
_DIMENSIONS = re.compile(r"[123]d")

# What docstrings for one, two and three spatial dimensions say in place of each other; of two that fit, the first.
_PHRASES = (
    ("1d", "2d", "3d"),
    ("sequence", "image", "volume"),
    ("(before, after)", "(left, right, top, bottom)", "(left, right, top, bottom, front, back)"),
    (
        "length of the",
        "height and width, or one number for both, of the",
        "depth, height and width, or one number, of the",
    ),
    (
        "output_size: L'",
        "output_size: H' and W', or one number; None keeps a size",
        "output_size: D', H' and W', or one number; None keeps a size",
    ),
    ("how many windows", "one number or (height, width); None keeps a size", "one number or three; None keeps a size"),
    ("in its signal", "in its flattened plane", "in its flattened volume"),
    ("signal", "image", "volume"),
    ("L replaced", "H and W replaced", "D, H and W replaced"),
    ("in place of L", "in place of H and W", "in place of D, H and W"),
    ("channels * kernel_size)", "channels * product of kernel_size)", "channels * product of kernel_size)"),
    (", each one number", ", each one number or two", ", each one number or three"),
    ("(N, C) or (N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)"),
    (", L)", ", H, W)", ", D, H, W)"),
    (", 5)", ", 5, 6)", ", 5, 6, 7)"),
    (", 5]", ", 5, 6]", ", 5, 6, 7]"),
    (", L')", ", H', W')", ", D', H', W')"),
    ("with L' =", "where each spatial size L becomes L' =", "where each spatial size L becomes L' ="),
)


def completed_from(*models: Any) -> Callable[[Documented], Documented]:
    """A decorator that completes the docstring of a class or function by those of similar ones, its models.

    Sections that are missing, and entries for parameters that the section Args leaves out, are those of the first
    model that has them. Where the names of both tell a number of dimensions (`Conv1d`, `Conv2d`), so do the words that
    are taken over: "sequence" becomes "image", and "(N, C, L)" becomes "(N, C, H, W)". Where that says all, as of lazy
    layers, the variant needs no docstring; the spatial sizes of its example are 5; 5 and 6; or 5, 6 and 7.

    Args:
        *models: classes or functions whose docstrings are complete.
    """

    def completed(variant: Documented) -> Documented:
        if sys.flags.optimize > 1:
            return variant  # python -OO keeps no docstrings
        if isinstance(variant, type):
            own = vars(variant).get("__doc__") or ""
            if isinstance(own, _Completed):  # by a base class
                own = _Completed(own.own, (*models, *own.models))
            else:
                own = _Completed(own, models)
            variant.__doc__ = own  # type: ignore[assignment]
        else:
            variant.__doc__ = _completed(variant.__doc__ or "", variant.__name__, _parameters(variant), models)
        return variant

    return completed


def completed_within(module: str, variant: type, model: type) -> None:
    """Completes the docstring of a class of the same package as `module`; users' classes say what they say."""
    if variant.__module__.partition(".")[0] == module.partition(".")[0]:
        completed_from(model)(variant)


class _Completed:
    """The docstring of a class, completed whenever it is read: there are many, and few programs read one."""

    def __init__(self, own: str, models: Sequence[Any]) -> None:
        self.own, self.models = own, models

    def __get__(self, instance: Any, variant: Any) -> str:
        return _completed(self.own, variant.__name__, _parameters(variant), self.models)


def _completed(doc: str, name: str, parameters: tuple[str, ...], models: Sequence[Any]) -> str:
    merged = {title: text for title, text in _sections(cleandoc(doc)).items() if text}
    for model in models:
        theirs = dict(_sections(_translated(_cleaned(model.__doc__), model.__name__, name)))
        if not _DIMENSIONS.search(name):
            theirs.pop("Example", None)  # which is of the model itself
        arguments = _merged(merged.get("Args", ""), theirs.get("Args", ""), parameters)
        merged = {**theirs, **merged, "Args": arguments}
    return "\n\n".join(merged[title] for title in ("", *_SECTIONS) if merged.get(title))


_cleaned = cache(cleandoc)  # many variants have one model


@cache
def _sections(doc: str) -> dict[str, str]:
    """The parts of a docstring by their titles; what stands before the first title has the title ""."""
    summary, *parts = _TITLE.split(doc)
    return {"": summary.rstrip()} | {part.partition(":")[0]: part.rstrip() for part in parts}


def _translated(doc: str, model: str, variant: str) -> str:
    before, after = _DIMENSIONS.search(model), _DIMENSIONS.search(variant)
    if not before or not after:
        return doc
    return _replaced(doc, [(tokens[int(before[0][0]) - 1], tokens[int(after[0][0]) - 1]) for tokens in _PHRASES])


def _replaced(doc: str, pairs: Sequence[tuple[str, str]]) -> str:
    """A text with the first phrase of each pair replaced by the second, and nothing in what has been put in."""
    if not pairs:
        return doc
    old, new = pairs[0]
    return new.join([_replaced(part, pairs[1:]) for part in doc.split(old)])


def _parameters(variant: Any) -> tuple[str, ...]:
    return tuple(signature(variant.__init__ if isinstance(variant, type) else variant).parameters)  # type: ignore[misc]


def _merged(own: str, theirs: str, parameters: tuple[str, ...]) -> str:
    mine = _entries(own)
    strings = _entries(theirs) | mine
    named = [name for name in parameters if name in strings] + [name for name in mine if name not in parameters]
    entries = [f"    {', '.join(group)}:{text}" for text, group in groupby(named, strings.__getitem__)]
    return "\n".join(["Args:", *entries]) if entries else ""


@cache
def _entries(section: str) -> dict[str, str]:
    results: dict[str, str] = {}
    for entry in _ENTRY.split(section)[1:]:
        names, _, text = entry.partition(":")
        results |= dict.fromkeys(names.split(", "), text.rstrip())
    return results
