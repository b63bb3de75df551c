"""`draw`: a picture of the graph behind tensors, as SVG or dot text, in a file if wanted; by Graphviz if installed."""

import importlib
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ...autograd.node import LEAF, OUTPUT
from ...errors import type_name
from ...tensor.tensor import TensorBase
from .collect import STYLES, Box, Picture, collect
from .svg import passed_rows, svg_source

_HEAD = """digraph autograd {
  graph [rankdir=TB, nodesep=0.25, ranksep=0.4, bgcolor=white, fontname="Helvetica", fontsize=11, labelloc=t]
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.15,0.08", penwidth=1.2]
  edge [color="#94a3b8", arrowsize=0.7, fontname="Helvetica", fontsize=9, fontcolor="#475569"]
"""


def dot_source(picture: Picture) -> str:
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
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


_SECONDS = 10.0  # that a picture may take before it is laid out here instead


def render(dot: str, kind: str, wait: float | None = _SECONDS) -> bytes | None:
    """None when Graphviz is not there or takes too long. Kinds are "svg", "png", "pdf", ..."""
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


_LAYOUTS = ("auto", "graphviz", "own")
_LARGE, _LONG = 600, 3000  # boxes, and rows that arrows pass through, that Graphviz still lays out in a few seconds
_DOT, _SVG = (".dot", ".gv"), ".svg"


class Drawing:
    """A picture of a graph; a notebook shows it.

    Args:
        picture: boxes and arrows.
        layout: who lays it out, see `draw`.
    """

    def __init__(self, picture: Picture, layout: str = "auto") -> None:
        self.picture = picture
        self.layout = layout

    @property
    def dot(self) -> str:
        """The graph as text of the dot language."""
        return dot_source(self.picture)

    @property
    def svg(self) -> str:
        """The picture as text of an SVG file."""
        if self.layout == "graphviz":
            return self._rendered("svg").decode()
        small = len(self.picture.boxes) <= _LARGE and passed_rows(self.picture) <= _LONG
        result = render(self.dot, "svg") if self.layout == "auto" and small else None
        return svg_source(self.picture) if result is None else result.decode()

    def save(self, path: Any) -> None:
        """Write the picture to `path`: `.svg`, dot text as `.dot` or `.gv`, through Graphviz also `.png` and `.pdf`.

        Raises:
            RuntimeError: Graphviz is needed and not installed, or fails.
        """
        target = Path(path)
        ending = target.suffix.lower()
        if ending in _DOT:
            target.write_text(self.dot, encoding="utf-8")
        elif ending == _SVG:
            target.write_text(self.svg, encoding="utf-8")
        else:
            target.write_bytes(self._rendered(ending.removeprefix(".")))

    def _rendered(self, kind: str) -> bytes:
        result = render(self.dot, kind, wait=None) if kind else None
        if result is None:
            raise RuntimeError(
                f"draw: expected Graphviz, which makes {kind!r} files, but its program 'dot' is not installed or "
                "failed; without it there are .svg (layout='own') and .dot"
            )
        return result

    def _repr_svg_(self) -> str:
        return self.svg


def draw(outputs: Any, path: Any = None, params: Any = None, *, layout: str = "auto") -> Drawing:
    """Draw the autograd graph behind tensors: ops with shapes, dtypes, saved bytes and lines of the spec, and leaves.

    Values flow downward, from leaves to outputs; a mouse over a node shows its schema and what it saved. Bytes in the
    caption count memory once that several nodes keep. A graph that backward has freed says so.

    Args:
        outputs: a tensor that requires grad, a list of such, or a dict of them by name.
        path: a file to write: `.svg`, `.dot`, or what Graphviz makes (`.png`, `.pdf`).
        params: names of tensors: a Module, a dict, or pairs of name and tensor as `named_parameters()` gives them.
        layout: "graphviz" or "own" says who lays the SVG out; "auto" is Graphviz where it is installed and the graph is
            not too large for it.

    Returns:
        A Drawing, with attributes `svg` and `dot` and a method `save`.

    Raises:
        TypeError: what is given is no tensor.
        RuntimeError: a tensor does not require grad; or Graphviz is needed and not installed.
        ValueError: there is no such layout.

    Example:
        >>> import specgrad as sg
        >>> model = sg.nn.Linear(3, 1)
        >>> picture = sg.graph.draw(model(sg.ones(2, 3)).sum(), params=model, layout="own")
        >>> [name in picture.svg for name in ("SumBackward0", "LinearBackward0", "weight", "(2, 1) float32")]
        [True, True, True, True]
        >>> picture.dot.splitlines()[0]
        'digraph autograd {'
    """
    if layout not in _LAYOUTS:
        raise ValueError(f"draw: expected layout to be one of {', '.join(_LAYOUTS)}, but got {layout!r}")
    drawing = Drawing(collect(_named(outputs), _names(params)), layout)
    if path is not None:
        drawing.save(path)
    return drawing


def _named(outputs: Any) -> dict[str, Any]:
    if isinstance(outputs, TensorBase):
        results = {"output": outputs}
    elif isinstance(outputs, Mapping):
        results = {str(name): tensor for name, tensor in outputs.items()}
    elif isinstance(outputs, Iterable):
        results = {f"output {number}": tensor for number, tensor in enumerate(outputs)}
    else:
        raise TypeError(f"draw: expected a tensor, a list or a dict of tensors, but got {type_name(outputs)}")
    for name, tensor in results.items():
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"draw: expected {name} to be a tensor, but got {type_name(tensor)}")
        if not tensor._requires_grad or (tensor._grad_fn is not None and tensor._grad_fn.edge_kind == LEAF):
            raise RuntimeError(f"draw: {name} of shape {list(tensor._shape)} does not require grad, it has no graph")
    return results


def _names(params: Any) -> dict[Any, str]:
    """Names by edge: a leaf is its own, another tensor gives its name to the node that made it."""
    if params is None:
        return {}
    if hasattr(params, "named_parameters"):
        params = params.named_parameters()
    results: dict[Any, str] = {}
    for name, tensor in params.items() if isinstance(params, Mapping) else params:
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"draw: expected params to name tensors, but {name!r} is {type_name(tensor)}")
        edge: Any = tensor if tensor._grad_fn is None else tensor._grad_fn
        results[edge.node if edge.edge_kind == OUTPUT else edge] = str(name)
    return results
