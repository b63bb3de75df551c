"""The boxes, arrows and caption of a picture, before they are laid out."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Style:
    """How the boxes of one kind look, and what the legend calls them."""

    label: str
    fill: str
    line: str


STYLES = {
    "leaf": Style("leaf", "#dbeafe", "#2563eb"),
    "op": Style("op", "#f8fafc", "#64748b"),
    "view": Style("view", "#dcfce7", "#16a34a"),
    "in-place": Style("in place", "#ffedd5", "#ea580c"),
    "custom": Style("custom Function", "#ede9fe", "#7c3aed"),
    "output": Style("output", "#fef9c3", "#ca8a04"),
}


@dataclass
class Box:
    """A node, a leaf or an output: a title, lines below it, and what a mouse over it shows."""

    kind: str
    title: str
    lines: list[str] = field(default_factory=list)
    note: str = ""


@dataclass
class Arrow:
    """From the box that made a value to the box that uses it."""

    source: int
    target: int
    label: str = ""


@dataclass
class Picture:
    """All boxes, newest first, the arrows between them by their numbers, and a line about the whole."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    caption: str = ""

    def kinds(self) -> list[str]:
        """The kinds of boxes that there are, in the order of the legend."""
        used_kinds = {box.kind for box in self.boxes}
        return [kind for kind in STYLES if kind in used_kinds]
