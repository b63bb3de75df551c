"""What is in the picture of a graph."""

from typing import Any

import specgrad as sg
from specgrad.graph import Drawing, draw
from specgrad.runtime.extensions.graph_drawing.collect import Box
from tests.extensions.graph_drawing.svg import sources
from tests.repository import ROOT

SPEC = (ROOT / "derivatives.yaml").read_text(encoding="utf-8").split("\n")


class Cube(sg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.inner = "an attribute of the user's"
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def boxes(drawing: Drawing) -> dict[str, Box]:
    """The boxes by title; of several with one title, the last."""
    return {box.title: box for box in drawing.picture.boxes}


def arrows(drawing: Drawing) -> set[tuple[str, str]]:
    """Between which titles there are arrows."""
    found = drawing.picture.boxes
    return {(found[arrow.source].title, found[arrow.target].title) for arrow in drawing.picture.arrows}


def test_ops_leaves_and_arrows() -> None:
    """A box for each node, leaf and output, and an arrow for each edge, in the direction of the values."""
    model = sg.nn.Linear(3, 2)
    drawing = draw(model(sg.ones(4, 3)).relu().sum(), params=model)
    chain = ["LinearBackward0", "ReluBackward0", "SumBackward0", "output"]
    expected = {("weight", chain[0]), ("bias", chain[0]), *zip(chain, chain[1:], strict=False)}
    assert arrows(drawing) == expected
    assert {box.kind for box in drawing.picture.boxes} == {"leaf", "op", "output"}
    assert drawing.picture.caption.startswith("3 nodes, 2 leaves, ")


def test_shapes_dtypes_bytes_and_lines_of_the_spec() -> None:
    """What a node's box says is what the tensors have; the line of the spec is that of the op's entry."""
    x = sg.ones(4, 3, dtype=sg.float64, requires_grad=True)
    y = sg.ones(3, dtype=sg.float64)
    drawing = draw((x * y).sum(1).float(), params={"the input": x})
    found = boxes(drawing)
    assert found["the input"].lines == ["(4, 3) float64"]
    shape, retained, index = found["MulBackward0"].lines
    assert shape == "(4, 3) float64"
    assert retained == "saves 24 B"  # y; x has no use, for y needs no gradient
    assert SPEC[int(index.removeprefix("derivatives.yaml:")) - 1].startswith("- name: mul.Tensor(")
    assert "saved other: 24 B" in found["MulBackward0"].note and "mul.Tensor(Tensor self" in found["MulBackward0"].note
    assert found["output"].lines == ["(4,) float32"]
    assert [box.lines[0] for title, box in found.items() if title.startswith("Sum")] == ["(4,) float64"]


def test_kinds_are_told_apart() -> None:
    """Views, writes to views, custom Functions and leaves have colours of their own, which the legend explains."""
    x = sg.ones(3, 2, requires_grad=True)
    y = x * 2
    y[0] = Cube.apply(x[1])
    drawing = draw(y, layout="own")
    kinds = {title: box.kind for title, box in boxes(drawing).items()}
    assert kinds["CubeBackward"] == "custom" and kinds["SelectBackward0"] == "view"
    assert kinds["CopySlices"] == "in-place" and kinds["MulBackward0"] == "op" and kinds["leaf"] == "leaf"
    assert "by CopyBackward0" in boxes(drawing)["CopySlices"].lines
    assert {"leaf", "op", "view", "in place", "custom Function", "output"} <= set(sources(drawing.svg))


def test_several_outputs_and_shared_parts() -> None:
    """What several outputs depend on is drawn once; outputs of one node have their numbers."""
    x = sg.ones(4, 6, requires_grad=True)
    shared = x.sin()
    values, indices = shared.max(1)
    drawing = draw({"largest": values, "all": shared.sum(), "input": x}, layout="own")
    titles = [box.title for box in drawing.picture.boxes]
    assert titles.count("SinBackward0") == 1 and titles.count("leaf") == 1
    assert ("leaf", "input") in arrows(drawing)
    first = boxes(drawing)["MaxBackward1" if "MaxBackward1" in titles else "MaxBackward0"]
    assert first.lines[:2] == ["0: (4,) float32", "1: (4,) int64"]
    assert [a.label for a in drawing.picture.arrows if drawing.picture.boxes[a.target].title == "largest"] == ["0"]
    assert draw([values, shared.sum()]).picture.boxes[1].title == "output 1"
    assert not indices.requires_grad


def test_memory_is_counted_once() -> None:
    """The caption adds up memory, not what each node says: here two nodes keep the same 400 bytes."""
    x = sg.ones(100, requires_grad=True)
    drawing = draw((x.sin() + x.cos()).sum())
    assert [boxes(drawing)[f"{name}Backward0"].lines[1] for name in ("Sin", "Cos")] == ["saves 400 B"] * 2
    assert drawing.picture.caption == "4 nodes, 1 leaf, 400 B saved for backward"


def test_freed_graphs_say_so() -> None:
    """After backward the picture is the same, without bytes."""
    x = sg.ones(3, requires_grad=True)
    y = Cube.apply(x.exp()).sum()
    before = arrows(draw(y))
    y.backward()
    drawing = draw(y)
    assert arrows(drawing) == before and "saved for backward" not in drawing.picture.caption
    for name in ("ExpBackward0", "CubeBackward"):
        assert "saved values freed" in boxes(drawing)[name].lines


def test_packed_values_are_not_unpacked() -> None:
    """What saved-tensor hooks keep is counted, and the hooks are not called."""
    x = sg.ones(3, requires_grad=True)

    def unpack(_: Any) -> Any:
        raise AssertionError("a picture needs no values")

    with sg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.numpy(), unpack):
        y = (x * x).sum()
    assert "saves 2 packed values" in boxes(draw(y))["MulBackward0"].lines


def test_drawing_changes_nothing() -> None:
    """Versions, graph and gradients are as if there had been no picture."""
    x = sg.ones(3, requires_grad=True)
    y = (x * x).sum()
    before = y.grad_fn.next_functions
    draw(y).svg  # noqa: B018
    assert y.grad_fn.next_functions == before
    y.backward()
    assert x.grad.tolist() == [2.0] * 3
