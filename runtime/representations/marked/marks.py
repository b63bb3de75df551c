"""Marking a view: from then on it shows its elements conjugated or negated. The rest is loaded with the first one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...extension_points import fill


class Classes:
    """The classes of tensors by their marks (conjugated, negated), empty until there is a marked one."""

    by_marks: dict[tuple[bool, bool], Any] = {}


def as_conjugate(view: Any) -> Any:
    return lazy_view(view, True, False)


def as_negative(view: Any) -> Any:
    return lazy_view(view, False, True)


def lazy_view(view: Any, conjugated: bool, negated: bool) -> Any:
    """A view that nobody else has yet, with these marks besides, or without them where it has them."""
    if not Classes.by_marks:
        Classes.by_marks = import_module(".tensor", __package__).classes_by_marks()  # which few programs need
    view.__class__ = Classes.by_marks[view.conjugated is not conjugated, view.negated is not negated]
    return view


fill("lazy_conj", lazy_view)
