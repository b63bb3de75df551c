"""What can be said without the package `onnx`: graphs as they are recorded, and what is asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn
from specgrad.codegen.__main__ import main
from specgrad.codegen.spec import names
from specgrad.runtime.extensions.onnx.dynamic_axes import Sizes
from specgrad.runtime.extensions.onnx.export import Exported
from specgrad.runtime.extensions.onnx.graph import Graph, Operators, operators

pytestmark = pytest.mark.cpu("a graph is recorded on the host")


def _graph(model: Any, *args: Any) -> Graph:
    exported = Exported(model, args, {}, None, None)
    with sg.no_grad():
        graph = exported.static()
    exported.finish(graph, [])
    return graph


def _shown(graph: Graph) -> list[str]:
    return [
        f"{node.operator}({', '.join('' if value is None else value.name for value in node.inputs)})"
        for node in graph.nodes
    ]


def test_a_module_is_its_operators_with_names_of_the_state_dict() -> None:
    """A node an op; results are named after module and operator."""
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2, bias=False)).eval()
    graph = _graph(model, sg.ones(5, 3))
    assert _shown(graph) == ["Gemm(input, 0.weight, 0.bias)", "Relu(0/Gemm)", "Gemm(1/Relu, 2.weight)"]
    assert [value.name for value in graph.outputs] == ["output"]
    assert [(value.dtype, value.shape) for value in graph.outputs] == [("float32", (5, 2))]


def test_batch_norm_infers_and_dropout_is_nothing() -> None:
    """In eval mode."""
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout(0.5), nn.Flatten()).eval()
    assert [node.operator for node in _graph(model, sg.ones(1, 1, 4, 4)).nodes] == [
        "Conv",
        "BatchNormalization",
        "Reshape",
    ]


def test_recurrent_layers_are_one_operator_a_layer_and_direction() -> None:
    """With the gates in ONNX's order; what does not depend on inputs but on parameters is in the graph."""
    graph = _graph(nn.LSTM(3, 4, num_layers=2, bidirectional=True), sg.ones(5, 2, 3))
    found = [node for node in graph.nodes if node.operator == "LSTM"]
    assert [node.attributes["direction"] for node in found] == ["forward", "reverse"] * 2


def test_what_nobody_uses_is_dropped_and_equal_constants_are_one() -> None:
    """Only what outputs are computed from is written."""

    def function(x: Any) -> Any:
        unused = x.exp()
        unused.add_(1)
        return x * 2 + 2

    graph = _graph(function, sg.ones(3))
    assert _shown(graph) == ["Mul(x, constant)", "Add(Mul, constant)"]


def test_an_output_that_is_an_input_has_a_name_of_its_own() -> None:
    """And so has one that is given twice."""
    graph = _graph(lambda x: (x, x + 1, x), sg.ones(3))
    assert [value.name for value in graph.outputs] == ["output_0", "output_1", "output_2"]
    assert [node.operator for node in graph.nodes] == ["Add", "Identity", "Identity"]


def test_numbers_are_constants_of_the_dtype_that_an_operator_takes() -> None:
    """Of the other operand, of the operator's own type, or of their own."""
    graph = Graph()
    x = graph.constant(np.ones(3, np.float64))
    found = Operators(graph).Add(x, 2)
    assert found.dtype == "float64"
    assert graph.nodes[-1].inputs[1].data.dtype == np.float64
    Operators(graph).Reshape(x, [3, 1])
    assert graph.nodes[-1].inputs[1].data.dtype == np.int64
    assert Operators(graph).Greater(x, 0).dtype == "bool"


@pytest.mark.parametrize(
    ("numbers", "formula"),
    [
        ((4, 7, 11), (("n",), 1, 0)),
        ((8, 14, 22), (("n",), 2, 0)),
        ((3, 6, 10), (("n",), 1, -1)),
        ((20, 70, 154), (("n", "m"), 1, 0)),
        ((2, 3, 5), None),
    ],
)
def test_sizes_are_explained_by_formulas(numbers: tuple[int, ...], formula: Any) -> None:
    """A multiple of a size and a number, or a product of sizes; None where the last recording contradicts."""
    assert Sizes({"n": [4, 7, 11], "m": [5, 10, 14]}, {}).formula(numbers) == formula


def test_both_readers_of_the_operators_agree() -> None:
    """The generator, which imports nothing of the runtime, reads the table that the runtime reads."""
    ours = operators()
    theirs = names.operators()
    assert ours.keys() == theirs.keys()
    for name, operator in ours.items():
        assert tuple(operator.attributes) == theirs[name].attributes


def test_the_table_is_that_of_the_package() -> None:
    """Inputs and attributes as the package `onnx` has them in this version."""
    defs = pytest.importorskip("onnx").defs
    for name, operator in operators().items():
        schema = defs.get_schema(name, 18, "")
        assert [each.name for each in operator.inputs] == [each.name for each in schema.inputs]
        assert operator.attributes.keys() <= schema.attributes.keys()
        kinds = {key: attribute.type.name.lower() for key, attribute in schema.attributes.items()}
        assert all(kinds[key] == kind for key, kind in operator.attributes.items())


SPEC = """\
- name: onnx_halved(Tensor self) -> Tensor
  dtypes: [float]
  dtype: float
  elementwise: self * 0.5
  dispatch: {onnx: "times(self, 0.5)"}
  doc: "x / 2."
"""


def test_a_package_of_a_user_has_functions_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas of its entries call what its module `onnx` defines."""
    package = tmp_path / "halving"
    package.mkdir()
    own = "def times(onnx, x, factor):\n    return onnx.Mul(x, factor)\n"
    for name, text in {"__init__.py": "", "onnx.py": own, "halving.yaml": SPEC}.items():
        (package / name).write_text(text, encoding="utf-8")
    assert main([str(package / "halving.yaml"), "--no-verify"]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    ops = importlib.import_module("halving.generated")
    assert _shown(_graph(lambda x: ops.onnx_halved(x), sg.ones(3))) == ["Mul(x, constant)"]


def test_the_package_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install, before anything runs."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install specgrad\[onnx\]"):
        sg.onnx.export(nn.Linear(1, 1), (sg.ones(1),))


def test_nothing_of_it_is_loaded_before_it_is_named() -> None:
    """Neither by `import specgrad` nor by a call of an op."""
    shown = "[name for name in sys.modules if 'onnx' in name or 'exporting' in name]"
    code = f"import sys, specgrad as sg; sg.ones(2).exp(); print({shown})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
