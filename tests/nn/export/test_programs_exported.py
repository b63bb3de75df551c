"""export: the graph computes what the module does, for sizes that vary too, and what a graph cannot say is refused."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad import nn
from specgrad.export import Dim, export

pytestmark = pytest.mark.cpu("a graph is recorded the same way everywhere")


class Mixed(nn.Module):
    """Parameters, buffers, plain tensors, writes, views, iteration, and nested inputs and outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("shift", sg.ones(4), persistent=False)
        self.plain = sg.tensor([2.0])

    def forward(self, x: Any, pair: tuple[Any, Any], *, scale: float = 1.0) -> dict[str, Any]:
        y = self.norm(self.layer(x) * scale + self.shift)
        y[:, 0] = 5
        y.mul_(self.plain)
        parts = y.view(x.shape[0], 2, -1).reshape(x.shape[0] * 2, 2)
        total = sum(row.sum() for row in pair[0])
        best, positions = y.max(1)
        return {"parts": parts + sg.arange(x.shape[0] * 2)[:, None], "more": [best + total, positions, x, pair[1]]}


def _inputs(count: int) -> tuple[Any, Any]:
    return sg.randn(count, 3), (sg.randn(2, 2), sg.randn(count))


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    pairs = [(one["parts"], other["parts"]), *zip(one["more"], other["more"], strict=True)]
    return all(sg.equal(x, y) for x, y in pairs)


def test_the_graph_computes_what_the_module_does() -> None:
    """For other values than those of the example; the module is as before."""
    model = Mixed()
    program = export(model, _inputs(4), {"scale": 2.0})
    assert model.norm.num_batches_tracked == 0
    inputs = _inputs(4)
    found = program.module()(*inputs, scale=2.0)
    program_again = export(model, _inputs(4), {"scale": 2.0})
    assert list(found) == ["parts", "more"]
    model.norm.reset_running_stats()
    assert _same(found, model(*inputs, scale=2.0))
    assert [node.op for node in program_again.graph.nodes] == [node.op for node in program.graph.nodes]


def test_sizes_that_vary_are_computed() -> None:
    """Numbers made of sizes become formulas; bounds are kept."""
    model = Mixed().eval()
    n = Dim("n", min=2, max=20)
    shapes = {"x": {0: n}, "pair": (None, {0: n})}
    module = export(model, _inputs(4), dynamic_shapes=shapes).module()
    for count in (2, 9, 20):
        inputs = _inputs(count)
        assert _same(module(*inputs), model(*inputs))
    with pytest.raises(AssertionError, match=r"Guard failed: 2 <= x.size\(\)\[0\] <= 20"):
        module(*_inputs(21))
    with pytest.raises(AssertionError, match=r"pair_1.size\(\)\[0\] == 5"):
        module(_inputs(5)[0], _inputs(6)[1])


@pytest.mark.parametrize(
    "layer",
    [
        nn.TransformerEncoderLayer(8, 2, batch_first=True).eval(),
        nn.Sequential(nn.Conv1d(8, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.GELU(), nn.Upsample(scale_factor=2)),
        nn.Sequential(nn.Unflatten(2, (2, 4)), nn.Flatten(0, 1), nn.Softmax(-1)),
    ],
    ids=["transformer", "convolution", "shapes"],
)
def test_layers_with_a_size_that_varies(layer: nn.Module) -> None:
    """A batch of any size."""
    module = export(layer, (sg.randn(3, 8, 8),), dynamic_shapes=({0: Dim("batch")},)).module()
    x = sg.randn(5, 8, 8)
    assert sg.allclose(module(x), layer(x), atol=1e-6)


def test_gradients_pass_through_the_graph() -> None:
    """Parameters are those of the module."""
    layer = nn.Linear(2, 1)
    export(layer, (sg.ones(3, 2),)).module()(sg.ones(3, 2)).sum().backward()
    assert layer.weight.grad is not None and layer.weight.grad.tolist() == [[3.0, 3.0]]


def test_the_signature() -> None:
    """What each input is, by PyTorch's names; constants and buffers of a module alone are no part of the state."""
    program = export(Mixed(), _inputs(2), {"scale": 3.0})
    signature = program.graph_signature
    assert signature.parameters == ("layer.weight", "layer.bias", "norm.weight", "norm.bias")
    assert signature.inputs_to_parameters["p_layer_weight"] == "layer.weight"
    assert signature.non_persistent_buffers == ("shift",)
    assert signature.user_inputs == ("x", "pair_0", "pair_1", 3.0)
    assert signature.user_outputs[-2:] == ("x", "pair_1")
    assert set(program.constants) == {"shift", "c_lifted_tensor_0"}
    state = set(Mixed().state_dict())
    assert set(program.state_dict) == set(program.module().state_dict()) == state
    assert "p_norm_bias: PARAMETER target='norm.bias'" in str(program)
    assert program.run_decompositions() is program and program.validate() is None  # type: ignore[func-returns-value]


class ByValue(nn.Module):
    """Python decides by a number."""

    def forward(self, x: Any) -> Any:
        return x if x.sum() > 0 else -x


class BySize(nn.Module):
    """Python decides by a size."""

    def forward(self, x: Any) -> Any:
        return x * 2 if x.shape[0] > 4 else x.exp()


class ByRoot(nn.Module):
    """A number that is no formula."""

    def forward(self, x: Any) -> Any:
        return x * x.shape[0] ** 0.5


def test_what_a_graph_cannot_say_is_refused() -> None:
    """Numbers of inputs; control flow and numbers that depend on a size which varies."""
    with pytest.raises(RuntimeError, match="data-dependent expression"):
        export(ByValue(), (sg.ones(2),))
    for module in (BySize(), ByRoot()):
        assert sg.equal(export(module, (sg.ones(3),)).module()(sg.zeros(3)), module(sg.zeros(3)))
        with pytest.raises(ValueError, match="depends on a size|at one size"):
            export(module, (sg.ones(3),), dynamic_shapes=({0: Dim("n")},))
    with pytest.raises(ValueError, match="too little room"):
        export(ByRoot(), (sg.ones(3),), dynamic_shapes=({0: Dim("n", min=3, max=3)},))


def test_inputs_that_do_not_fit() -> None:
    """PyTorch's errors."""
    program = export(Mixed(), _inputs(4), {"scale": 2.0})
    module = program.module()
    x, pair = _inputs(4)
    with pytest.raises(AssertionError, match=r"Guard failed: x.size\(\)\[0\] == 4"):
        module(_inputs(3)[0], pair, scale=2.0)
    with pytest.raises(AssertionError, match="Guard failed: scale == 2.0"):
        module(x, pair, scale=1.0)
    with pytest.raises(ValueError, match="kwarg keyword mismatch"):
        module(x, pair)
    with pytest.raises(ValueError, match="input tree spec"):
        module(x, x, scale=2.0)
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        program(x, pair)
    for change in (module.train, module.eval):
        with pytest.raises(NotImplementedError):
            change()
    with pytest.raises(ValueError, match="instance of"):
        export(lambda x: x, (x,))
    with pytest.raises(TypeError, match="tuple"):
        export(nn.ReLU(), x)
