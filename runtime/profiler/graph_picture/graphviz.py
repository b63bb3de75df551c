"""A picture as text of the dot language, and as a file by Graphviz where that is installed."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from html import escape
from typing import Any

from .picture import STYLES, Box, Picture

_HEAD = """digraph autograd {
  graph [rankdir=TB, nodesep=0.25, ranksep=0.4, bgcolor=white, fontname="Helvetica", fontsize=11, labelloc=t]
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.15,0.08", penwidth=1.2]
  edge [color="#94a3b8", arrowsize=0.7, fontname="Helvetica", fontsize=9, fontcolor="#475569"]
"""


def dot_source(picture: Picture) -> str:
    """The whole graph; its label is the legend."""
    nodes = [f"  n{number} [{_attributes(box)}]" for number, box in enumerate(picture.boxes)]
    edges = [
        f"  n{arrow.source} -> n{arrow.target}" + (f" [label={_quoted(arrow.label)}]" if arrow.label else "")
        for arrow in picture.arrows
    ]
    return "\n".join([f"{_HEAD}  label=<{_legend(picture)}>", *nodes, *edges, "}", ""])


def _attributes(box: Box) -> str:
    style = STYLES[box.kind]
    lines = [f"<B>{escape(box.title)}</B>", *(f'<FONT POINT-SIZE="9">{escape(line)}</FONT>' for line in box.lines)]
    label = f"label=<{'<BR/>'.join(lines)}>"
    return f'{label}, fillcolor="{style.fill}", color="{style.line}", tooltip={_quoted(box.note or box.title)}'


def _legend(picture: Picture) -> str:
    cells = [
        f'<TD BGCOLOR="{STYLES[kind].fill}" COLOR="{STYLES[kind].line}" BORDER="1">{STYLES[kind].label}</TD>'
        for kind in picture.kinds()
    ]
    table = f'<TABLE BORDER="0" CELLSPACING="6" CELLPADDING="3"><TR>{"".join(cells)}'
    return f'{table}<TD BORDER="0">{escape(picture.caption)}</TD></TR></TABLE>'


def _quoted(text: str) -> str:
    """A string of the dot language; it has no other escapes than these."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


_SECONDS = 10.0  # that a picture may take before it is laid out here instead


def render(dot: str, kind: str, wait: float | None = _SECONDS) -> bytes | None:
    """Dot text as a file of a kind ("svg", "png", "pdf", ...); None when Graphviz is not there or takes too long."""
    program = shutil.which("dot")
    if program is None:
        return _by_package(dot, kind)
    try:
        done = subprocess.run([program, f"-T{kind}"], input=dot.encode(), capture_output=True, timeout=wait)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _by_package(dot: str, kind: str) -> bytes | None:
    try:
        package: Any = importlib.import_module("graphviz")
    except ImportError:
        return None
    try:
        return package.Source(dot).pipe(format=kind)
    except (package.ExecutableNotFound, package.CalledProcessError):
        return None
