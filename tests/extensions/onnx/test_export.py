"""What is recorded: writes, views, dtypes, nested inputs, dynamic sizes; what is refused, and what errors name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.cpu("a graph is recorded on the host")


def _exported(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return sg.onnx.export(function, args, **options)


def _agrees(program: Any, function: Callable[..., Any], *args: Any) -> None:
    requested = function(*[arg.clone() if isinstance(arg, sg.Tensor) else arg for arg in args])
    for found, value in zip(
        program.call_reference(*args), [requested] if isinstance(requested, sg.Tensor) else requested, strict=True
    ):
        np.testing.assert_allclose(found.numpy(), value.detach().numpy(), rtol=1e-5, atol=1e-6)


def _writes_to_a_view(x: Any) -> Any:
    y = x * 2
    y[:, 1:3] += 1
    y[0].mul_(3)
    return y, y[:, 1]


def _writes_to_new_memory(x: Any) -> Any:
    found = sg.zeros(3, 4)
    for row in range(3):
        found[row] = x[row] * row
    return found + found.t().reshape(3, 4)


def _writes_where_a_mask_is_true(x: Any) -> Any:
    y = x.clone()
    y[y > 0] = 0.5
    return y


def _reads_by_index(x: Any) -> Any:
    rows = sg.tensor([2, 0])
    return x[rows], x[rows, sg.tensor([1, 3])], x[:, [0, -1]], x[..., None, 1], x[1:, ::2]


def _detaches(x: Any) -> Any:
    y = x.detach()
    return y.data + x.T.contiguous().T


def _mixes_dtypes(x: Any) -> Any:
    counts = sg.arange(4)
    return x + counts, (x > 0) * counts, counts / 2, x.to(sg.float64) * 2, 2 - x, 1 / (x + 5), x.int() // 2


def _goes_around(x: Any) -> Any:
    for number in range(3):
        x = sg.tanh(x) * number + x if number % 2 else sg.sin(x)
    return x


@pytest.mark.parametrize(
    "function",
    [
        _writes_to_a_view,
        _writes_to_new_memory,
        _writes_where_a_mask_is_true,
        _reads_by_index,
        _detaches,
        _goes_around,
    ],
)
def test_what_python_does_is_in_the_graph(function: Callable[..., Any]) -> None:
    """Writes, also to parts and through views, reads by index, detached tensors and loops."""
    x = sg.randn(3, 4)
    _agrees(_exported(function, x), function, sg.randn(3, 4))


@pytest.mark.parametrize("base", [-1, 1, 2, 0, -2])
def test_whole_numbers_to_negative_powers(base: int) -> None:
    """They are rounded towards zero, as a tensor and as a number."""
    numbers, exponents = sg.tensor([-2, -1, 0, 1, 2, 3]), sg.tensor([-3, -2, -1, 0, 1, 2])
    for function in (lambda x: numbers**x, lambda x: x**exponents, lambda x: base**x):
        _agrees(_exported(function, exponents), function, exponents)


def test_dtypes_are_promoted_as_they_are_here() -> None:
    """Tensors of several dtypes and numbers: each result has the dtype that it has here."""
    x = sg.randn(2, 4)
    program = _exported(_mixes_dtypes, x)
    _agrees(program, _mixes_dtypes, x)
    kinds = [value.type.tensor_type.elem_type for value in program.model_proto.graph.output]
    float32, float64, int32, int64 = (getattr(onnx.TensorProto, name) for name in ("FLOAT", "DOUBLE", "INT32", "INT64"))
    assert kinds == [float32, int64, float32, float64, float32, float32, int32]


def test_nested_inputs_and_outputs_are_flat() -> None:
    """Tensors in tuples and dicts are inputs with names of their own; what is no tensor is fixed."""

    def function(pair: Any, named: Any, factor: float, *, more: Any) -> Any:
        return {"sum": pair[0] + pair[1] * factor, "rest": [named["a"] - more]}

    a, b, c, d = (sg.randn(2) for _ in range(4))
    program = sg.onnx.export(function, ((a, b), {"a": c}, 3.0), kwargs={"more": d}, output_names=["sum"])
    names = [value.name for value in program.model_proto.graph.input]
    assert names == ["pair_0", "pair_1", "named_a", "more"]
    assert [value.name for value in program.model_proto.graph.output] == ["sum", "output_1"]
    found = program.call_reference((a, b), {"a": c}, 3.0, more=d)
    np.testing.assert_allclose(found[0].numpy(), (a + b * 3).numpy(), rtol=1e-6)
    np.testing.assert_allclose(found[1].numpy(), (c - d).numpy(), rtol=1e-6)


def test_dynamic_sizes_have_names() -> None:
    """In either form of PyTorch's; sizes of outputs that follow from them are written as formulas."""
    model = nn.Conv1d(2, 3, 3)
    options = {"input_names": ["x"], "output_names": ["y"], "dynamo": True}
    axes = sg.onnx.export(model, (sg.ones(1, 2, 8),), dynamic_axes={"x": {0: "n", 2: "length"}, "y": [0]}, **options)
    shapes = sg.onnx.export(model, (sg.ones(1, 2, 8),), dynamic_shapes={"input": {0: "n", 2: "length"}}, **options)
    for program in (axes, shapes):
        dims = [d.dim_param or d.dim_value for d in program.model_proto.graph.output[0].type.tensor_type.shape.dim]
        assert dims == ["n", 3, "length - 2"]
        _agrees(program, model, sg.randn(4, 2, 13))


def test_numbers_made_of_sizes_are_computed() -> None:
    """A Reshape, a range, a mean over a size, and a mask of positions."""

    def function(x: Any) -> Any:
        batch, length, features = x.shape
        positions = sg.arange(length).view(1, -1, 1) * 0.5
        mask = sg.ones(length, length).tril().bool()
        scores = (x @ x.transpose(1, 2)).masked_fill(~mask, 0.0)
        rows = x.reshape(batch * length, features).sum(0) / (batch * length)
        return x + positions, scores, rows, x.new_zeros(batch, 2), x[:, : length - 1].sum(1)

    x = sg.randn(2, 6, 3)
    program = sg.onnx.export(function, (x,), dynamic_shapes=({0: "n", 1: "length"},))
    for shape in ((2, 6, 3), (1, 3, 3), (4, 9, 3)):
        _agrees(program, function, sg.randn(*shape))


def test_a_number_that_no_formula_explains_is_refused() -> None:
    """Half of a size, rounded down: it is not fixed unseen."""
    with pytest.raises(sg.onnx.OnnxExporterError, match="slice.Tensor: a number depends on the size of 'n' in no"):
        sg.onnx.export(lambda x: x[: len(x) // 2], (sg.ones(4),), dynamic_shapes=({0: "n"},))


def test_python_that_depends_on_a_size_is_refused() -> None:
    """Another graph for another size is an error, and none of one size."""

    def function(x: Any) -> Any:
        for row in x:
            x = x + row
        return x

    _agrees(_exported(function, sg.ones(2, 2)), function, sg.ones(2, 2))
    with pytest.raises(sg.onnx.OnnxExporterError, match="which ops run depends on the size of 'n'"):
        sg.onnx.export(function, (sg.ones(2, 2),), dynamic_shapes=({0: "n"},))


class Inner(nn.Module):
    """Calls what has no operator."""

    def forward(self, x: Any) -> Any:
        return sg.linalg.svd(x).S


class Outer(nn.Module):
    """Has one of these."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: Any) -> Any:
        return self.inner(x)


def test_an_op_without_a_key_is_named_with_module_and_line() -> None:
    """The error says which op, in which module, at which line of the program."""
    with pytest.raises(sg.onnx.UnsupportedOperatorError) as caught:
        sg.onnx.export(Outer(), (sg.ones(2, 2),))
    assert "linalg_svd in module 'inner'" in str(caught.value)
    assert f"{os.path.basename(__file__)}:" in str(caught.value)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: x[x > 0], "depends on the mask's values"),
        (lambda x: x * float(x.sum()), "Python reads numbers that depend on an input"),
        (lambda x: x + 1 if x.sum() > 0 else x, "Python reads numbers that depend on an input"),
        (lambda x: x + sg.tensor(x.numpy()), "Python reads numbers that depend on an input"),
        (lambda x: x + sg.rand(3), "draws random numbers"),
        (lambda x: 3.0, "outputs are tensors, not float"),
    ],
)
def test_what_a_graph_cannot_say_is_refused(function: Callable[..., Any], why: str) -> None:
    """Shapes that depend on values, numbers that Python has read, draws, and outputs that are none."""
    with pytest.raises(sg.onnx.OnnxExporterError, match=why):
        sg.onnx.export(function, (sg.randn(3),))


def test_what_is_left_behind_is_as_before() -> None:
    """The mode of modules, the inputs, and the watchers; also after an error."""
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(), nn.ReLU(inplace=True))
    model[0].eval()
    x = sg.randn(3, 2)
    before = x.clone()
    sg.onnx.export(model, (x,))
    assert [module.training for module in model] == [False, True, True]
    assert (x == before).all()
    with pytest.raises(sg.onnx.OnnxExporterError):
        sg.onnx.export(Outer(), (x,))
    assert not sg.onnx.is_in_onnx_export()
    assert float(x.sum()) == float(before.sum())


def test_a_module_knows_that_it_is_exported() -> None:
    """`is_in_onnx_export` is true inside."""
    seen: list[bool] = []

    def function(x: Any) -> Any:
        seen.append(sg.onnx.is_in_onnx_export())
        return x + 1

    sg.onnx.export(function, (sg.ones(1),))
    assert seen == [True]


def test_options(tmp_path: Path) -> None:
    """Parameters as inputs, with and without values; another version; `verify`; what is not supported."""
    model, x = nn.Linear(2, 3), sg.ones(1, 2)
    sg.onnx.export(model, (x,), tmp_path / "bare.onnx", export_params=False, opset_version=20, verify=True)
    unwrapped = onnx.load(tmp_path / "bare.onnx")
    assert [value.name for value in unwrapped.graph.input] == ["input", "weight", "bias"]
    assert not unwrapped.graph.initializer
    assert unwrapped.opset_import[0].version == 20
    sg.onnx.export(model, (x,), str(tmp_path / "both.onnx"), keep_initializers_as_inputs=True)
    both = onnx.load(tmp_path / "both.onnx")
    assert len(both.graph.input) == 3
    assert len(both.graph.initializer) == 2
    sg.onnx.export(model, (x,), tmp_path / "apart.onnx", external_data=True)
    assert (tmp_path / "apart.onnx.data").exists()
    with pytest.raises(ValueError, match="expected opset_version to be 18"):
        sg.onnx.export(model, (x,), opset_version=11)
    with pytest.raises(NotImplementedError, match="'report' is not supported"):
        sg.onnx.export(model, (x,), report=True)
    with pytest.raises(ValueError, match="dynamic_axes names 'y'"):
        sg.onnx.export(model, (x,), dynamic_axes={"y": {0: "n"}})
