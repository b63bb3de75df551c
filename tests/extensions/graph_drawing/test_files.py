"""Pictures of graphs as files: valid SVG and dot, layouts, large graphs, and what there is to say when it cannot be."""

import re
import shutil
import subprocess
import sys
import types
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.graph import draw
from tests.extensions.graph_drawing.svg import sources
from tests.scripts import run_by_sh


@pytest.mark.parametrize("layout", ["own", *(["graphviz"] if shutil.which("dot") else [])])
def test_names_are_escaped(layout: str) -> None:
    """Any name makes valid XML, and is read back from it as it was."""
    x = sg.ones(2, requires_grad=True)
    name = "<b> & \"quotes\" \\ 'x' > {|} é"
    svg = draw({"a < b": x.sin()}, params={name: x}, layout=layout).svg
    assert name in sources(svg) and "a < b" in sources(svg)


def test_dot_text_is_accepted_by_graphviz(tmp_path: Path) -> None:
    """The text describes the graph: Graphviz, where it is installed, reads as many nodes and edges from it."""
    x = sg.ones(2, 3, requires_grad=True)
    y = x * 2
    y[0].mul_(3)
    path = tmp_path / "graph.dot"
    drawing = draw(y.sum(), path)
    text = path.read_text(encoding="utf-8")
    assert text == drawing.dot and text.startswith("digraph autograd {")
    assert len(re.findall(r"^  n\d+ \[", text, re.MULTILINE)) == len(drawing.picture.boxes)
    assert len(re.findall(r"^  n\d+ -> n\d+", text, re.MULTILINE)) == len(drawing.picture.arrows)
    if shutil.which("dot"):
        plain = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True).stdout
        assert plain.count("\nnode ") == len(drawing.picture.boxes)
        assert plain.count("\nedge ") == len(drawing.picture.arrows)


def test_own_layout_overlaps_nothing() -> None:
    """Boxes side by side keep their distance, all lie in the picture, and values flow downward."""
    model = sg.nn.Sequential(*[sg.nn.Linear(4, 4) for _ in range(6)])
    x = sg.ones(2, 4)
    y = sum((model[: number + 1](x).sum() for number in range(6)), sg.zeros(()))
    drawing = draw(y, params=model, layout="own")
    root = ET.fromstring(drawing.svg)
    space = "{http://www.w3.org/2000/svg}"
    shapes = [group.find(f"{space}rect") for group in root.iter(f"{space}g") if group.get("class")]
    found = [[float(s.get(key, "")) for key in ("x", "y", "width", "height")] for s in shapes if s is not None]
    assert len(found) == len(drawing.picture.boxes)
    width = float(root.get("width", ""))
    for number, (x1, y1, w1, h1) in enumerate(found):
        assert x1 >= 0 and x1 + w1 <= width
        for x2, y2, w2, h2 in found[:number]:
            assert x1 + w1 < x2 or x2 + w2 < x1 or y1 + h1 < y2 or y2 + h2 < y1
    for arrow in drawing.picture.arrows:
        assert found[arrow.source][1] + found[arrow.source][3] < found[arrow.target][1]


def calls_of(work: Callable[[], Any]) -> int:
    """How many functions a piece of work calls: what it costs, on any machine under any load."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def chain(length: int) -> sg.Tensor:
    """Nodes in a row that all use one leaf."""
    y = x = sg.ones(2, requires_grad=True)
    for _ in range(length // 2):
        y = y * 1.5 + x
    return y


def star(count: int) -> sg.Tensor:
    """Leaves of one node."""
    return sg.stack([sg.ones(2, requires_grad=True) for _ in range(count)]).sum()


@pytest.mark.parametrize(("graph", "others", "leaves"), [(chain, 2, 1), (star, 3, 10_000)])
def test_large_graphs_are_drawn(graph: Callable[[int], sg.Tensor], others: int, leaves: int, tmp_path: Path) -> None:
    """10,000 nodes, or leaves, without recursion; some take twice the work that half of them take."""
    path, in_legend = tmp_path / "large.svg", 1
    assert len(draw(graph(10_000), path).picture.boxes) == 10_000 + others
    assert sources(path.read_text(encoding="utf-8")).count("leaf") == in_legend + leaves
    full, half = graph(2000), graph(1000)
    assert calls_of(lambda: draw(full, path)) < 2.2 * calls_of(lambda: draw(half, path))


def test_files_by_their_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SVG and dot need nothing; other kinds need Graphviz and say so; `auto` draws without it."""
    x = sg.ones(2, requires_grad=True)
    monkeypatch.setattr("specgrad.runtime.extensions.graph_drawing.draw.shutil.which", lambda _: None)
    monkeypatch.setitem(sys.modules, "graphviz", None)
    drawing = draw(x.sin(), tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == drawing.svg == drawing._repr_svg_()
    assert "SinBackward0" in sources(drawing.svg)
    for failing in (lambda: drawing.save(tmp_path / "graph.png"), lambda: draw(x.sin(), layout="graphviz").svg):
        with pytest.raises(RuntimeError, match="draw: expected Graphviz"):
            failing()


def test_graphviz_lays_out_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program is given the dot text; its Python package is asked where the program is not found; what fails is
    laid out here, and so is what is too large for it."""
    x = sg.ones(2, requires_grad=True)
    program = tmp_path / "bin" / "dot"
    program.parent.mkdir()
    program.write_text('read -r line; echo "<svg>$line $1</svg>"\n', encoding="utf-8")
    run_by_sh(program.parent, monkeypatch)
    monkeypatch.setattr("specgrad.runtime.extensions.graph_drawing.draw.shutil.which", lambda _: str(program))
    assert draw(x.sin()).svg == "<svg>digraph autograd { -Tsvg</svg>\n"
    draw(x.sin(), tmp_path / "graph.pdf")
    assert (tmp_path / "graph.pdf").read_text(encoding="utf-8") == "<svg>digraph autograd { -Tpdf</svg>\n"
    assert "SinBackward0" in sources(draw([x.sin() for _ in range(400)]).svg)
    program.write_text("exit 1\n", encoding="utf-8")
    assert "SinBackward0" in sources(draw(x.sin()).svg)

    class Source:
        def __init__(self, text: str) -> None:
            self.text = text

        def pipe(self, format: str) -> bytes:
            return f"{self.text.split()[0]} as {format}".encode()

    package = types.SimpleNamespace(Source=Source, ExecutableNotFound=KeyError, CalledProcessError=KeyError)
    monkeypatch.setattr("specgrad.runtime.extensions.graph_drawing.draw.shutil.which", lambda _: None)
    monkeypatch.setitem(sys.modules, "graphviz", package)
    assert draw(x.sin()).svg == "digraph as svg"


def test_wrong_arguments_are_explained() -> None:
    """No tensor, no graph, no such layout, names of what is no tensor."""
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="draw: expected a tensor, a list or a dict of tensors, but got int"):
        draw(3)
    with pytest.raises(TypeError, match="draw: expected output 1 to be a tensor, but got str"):
        draw([x, "y"])
    with pytest.raises(RuntimeError, match=r"draw: output of shape \[2\] does not require grad"):
        draw(sg.ones(2))
    with sg.no_grad():
        outside = x[:1]  # requires grad as its base does, and is in no graph
    with pytest.raises(RuntimeError, match=r"draw: output of shape \[1\] does not require grad"):
        draw(outside)
    with pytest.raises(ValueError, match="draw: expected layout to be one of auto, graphviz, own, but got 'circle'"):
        draw(x, layout="circle")
    with pytest.raises(TypeError, match="draw: expected params to name tensors, but 'x' is int"):
        draw(x, params={"x": 1})
