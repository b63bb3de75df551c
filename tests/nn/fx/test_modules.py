"""GraphModule, Interpreter, Transformer, replace_pattern, ShapeProp and fusing."""

from __future__ import annotations

import copy
import importlib
import linecache
import operator
import pickle
import traceback
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg
from tests.nn.fx.test_tracing import fx_of, module_of


def net_of(lib: ModuleType) -> Any:
    """A small convolutional network."""
    nn = lib.nn
    lib.manual_seed(0)
    layers = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.5), nn.Flatten(), nn.Linear(8, 3)
    return nn.Sequential(*layers)


def test_recompile(lib: ModuleType) -> None:
    """A changed graph is what the module does once it is compiled anew."""
    traced = fx_of(lib).symbolic_trace(lambda x: lib.relu(x))
    for node in traced.graph.nodes:
        if node.target is lib.relu:
            node.target = lib.neg
    assert traced(lib.ones(1)).tolist() == [1.0]
    traced.recompile()
    assert traced(lib.ones(1)).tolist() == [-1.0] and ".neg(" in traced.code


def test_two_modules_have_their_own_forward(lib: ModuleType) -> None:
    """Each GraphModule has a class of its own."""
    first, second = (fx_of(lib).symbolic_trace(f) for f in (lambda x: x + 1, lambda x: x * 3))
    assert first(lib.ones(1)).item() == 2.0 and second(lib.ones(1)).item() == 3.0
    assert type(first) is not type(second) and isinstance(first, fx_of(lib).GraphModule)


def test_name_and_text(lib: ModuleType) -> None:
    """A traced module has the name of the class that it was made of, and shows modules and code."""
    traced = fx_of(lib).symbolic_trace(module_of(lib))
    assert type(traced).__name__ == "Outer" and "def forward(self, x" in str(traced)
    assert "GraphModuleImpl" in str(type(traced)), "libraries ask for this before they replace `forward`"
    assert "class Outer" in traced.print_readable(print_output=False)


def test_errors_show_the_line() -> None:
    """The generated code is in tracebacks, and can be stepped through."""
    traced = sg.fx.symbolic_trace(lambda x: x.sum() @ x)
    with pytest.raises(RuntimeError) as error:
        traced(sg.ones(2))
    frames = [frame for frame in traceback.extract_tb(error.value.__traceback__) if "eval_with_key" in frame.filename]
    assert frames and "matmul = sum_1 @ x" in (frames[0].line or "")
    assert linecache.getline(frames[0].filename, frames[0].lineno or 0)


def test_deepcopy(lib: ModuleType) -> None:
    """A copy has its own parameters and its own graph."""
    traced = fx_of(lib).symbolic_trace(module_of(lib))
    copied = copy.deepcopy(traced)
    x = lib.ones(2, 4)
    assert lib.equal(copied(x)["values"], traced(x)["values"]) and copied.graph is not traced.graph
    assert copied.inner.scale is not traced.inner.scale and copied.code == traced.code
    with lib.no_grad():
        copied.mean.add_(lib.arange(4))
    assert not lib.equal(copied(x)["values"], traced(x)["values"])


def test_pickle() -> None:
    """Pickling keeps parameters and graph."""
    traced = sg.fx.symbolic_trace(net_of(sg))
    found = pickle.loads(pickle.dumps(traced))
    x = sg.randn(2, 1, 4, 4)
    assert sg.equal(found.eval()(x), traced.eval()(x)) and found.code == traced.code
    assert type(found).__name__ == "Sequential"


def test_submodules(lib: ModuleType) -> None:
    """Modules are added and removed by path; those that no node names go together."""
    traced = fx_of(lib).symbolic_trace(net_of(lib))
    assert traced.add_submodule("extra.deep", lib.nn.ReLU())
    assert isinstance(traced.get_submodule("extra.deep"), lib.nn.ReLU)
    traced.delete_all_unused_submodules()
    assert not hasattr(traced, "extra") and hasattr(traced, "5")
    assert traced.add_submodule("extra", lib.nn.ReLU()) and traced.delete_submodule("extra")
    assert not traced.delete_submodule("extra")


def test_root_may_be_a_dict(lib: ModuleType) -> None:
    """A dict gives modules and tensors by path."""
    graph = fx_of(lib).Graph()
    x = graph.placeholder("x")
    scale = graph.get_attr("inner.scale")
    graph.output(graph.call_function(operator.mul, (graph.call_module("act", (x,)), scale)))
    module = fx_of(lib).GraphModule({"act": lib.nn.ReLU(), "inner.scale": lib.tensor(3.0)}, graph)
    assert module(lib.tensor([-1.0, 1.0])).tolist() == [0.0, 3.0]
    with pytest.raises(RuntimeError, match="act|not provided|referenced"):
        fx_of(lib).GraphModule({}, graph)


def test_interpreter(lib: ModuleType) -> None:
    """It gives what the module gives, node by node, and a subclass may change what nodes do."""
    fx = fx_of(lib)
    traced = fx.symbolic_trace(net_of(lib)).eval()
    x = lib.randn(2, 1, 4, 4)
    assert lib.equal(fx.Interpreter(traced).run(x), traced(x))

    class Negated(fx.Interpreter):  # type: ignore[misc, name-defined]
        def call_module(self, target: Any, args: Any, kwargs: Any) -> Any:
            found = super().call_module(target, args, kwargs)
            return -found if target == "5" else found

    assert lib.equal(Negated(traced).run(x), -traced(x))


def test_interpreter_with_known_values(lib: ModuleType) -> None:
    """Defaults are used, results may be given, and values are dropped behind their last use."""
    fx = fx_of(lib)

    def function(x: Any, scale: float = 2.0) -> Any:
        return lib.relu(x) * scale

    traced = fx.symbolic_trace(function)
    interpreter = fx.Interpreter(traced)
    assert interpreter.run(lib.ones(1)).item() == 2.0 and len(interpreter.env) == 1
    relu = traced.graph.find_nodes(op="call_function", target=lib.relu)[0]
    assert interpreter.run(lib.ones(1), initial_env={relu: lib.tensor(5.0)}).item() == 10.0
    with pytest.raises(RuntimeError, match="Expected positional argument for parameter x"):
        fx.Interpreter(traced).run()


def test_interpreter_says_where_it_failed(lib: ModuleType) -> None:
    """An error names the node."""
    traced = fx_of(lib).symbolic_trace(lambda x: x @ lib.ones(5))
    with pytest.raises(RuntimeError) as error:
        fx_of(lib).Interpreter(traced).run(lib.ones(2))
    notes = [*map(str, error.value.args), *getattr(error.value, "__notes__", [])]
    assert any("While executing %matmul" in note for note in notes)


def test_transformer(lib: ModuleType) -> None:
    """It makes another module, of which nodes may be others."""
    fx = fx_of(lib)

    class Swapped(fx.Transformer):  # type: ignore[misc, name-defined]
        def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
            return super().call_function(lib.sigmoid if target is lib.relu else target, args, kwargs)

        def call_method(self, target: Any, args: Any, kwargs: Any) -> Any:
            if target == "neg":
                return args[0] * 2
            return super().call_method(target, args, kwargs)

    traced = fx.symbolic_trace(lambda x: lib.relu(x).neg().exp())
    found = Swapped(traced).transform()
    x = lib.tensor([0.3])
    assert lib.equal(found(x), (lib.sigmoid(x) * 2).exp())
    assert traced(x).item() == pytest.approx(0.740818, abs=1e-5)


def test_transformed_modules_keep_parameters(lib: ModuleType) -> None:
    """A Transformer that changes nothing gives an equal module."""
    fx = fx_of(lib)
    traced = fx.symbolic_trace(module_of(lib))
    found = fx.Transformer(traced).transform()
    x = lib.randn(2, 4)
    assert lib.equal(found(x)["values"], traced(x)["values"]) and found.inner.scale is traced.inner.scale


def test_replace_pattern(lib: ModuleType) -> None:
    """All places that do what a pattern does are replaced, arguments and all."""
    fx = fx_of(lib)

    def program(x: Any, y: Any) -> Any:
        a = lib.add(lib.relu(x), y)
        b = lib.add(lib.relu(a), x)
        return b * 2

    def pattern(p: Any, q: Any) -> Any:
        return lib.add(lib.relu(p), q)

    def replacement(p: Any, q: Any) -> Any:
        return lib.maximum(p, q) - 1

    traced = fx.symbolic_trace(program)
    matches = fx.replace_pattern(traced, pattern, replacement)
    assert len(matches) == 2 and matches[0].anchor.op == "call_function"
    traced.graph.lint()
    x, y = lib.tensor([1.0, -2.0]), lib.tensor([0.5, 3.0])
    inner = lib.maximum(x, y) - 1
    assert lib.equal(traced(x, y), (lib.maximum(inner, x) - 1) * 2)


def test_patterns_match_whole_values(lib: ModuleType) -> None:
    """A value that is used elsewhere too is not replaced; other arguments are another call."""
    fx = fx_of(lib)

    def program(x: Any) -> Any:
        a = lib.relu(x)
        return lib.neg(a) + a + lib.sum(x, 1)

    traced = fx.symbolic_trace(program)
    assert not fx.replace_pattern(traced, lambda x: lib.neg(lib.relu(x)), lambda x: x)
    assert not fx.replace_pattern(traced, lambda x: lib.sum(x, 0), lambda x: x)
    assert len(fx.replace_pattern(traced, lambda x: lib.sum(x, 1), lambda x: lib.sum(x, 0))) == 1


def test_patterns_of_methods(lib: ModuleType) -> None:
    """Methods are matched by name, constants by value."""
    fx = fx_of(lib)
    traced = fx.symbolic_trace(lambda x: x.clamp(0, 6).mul(2))
    assert len(fx.replace_pattern(traced, lambda x: x.clamp(0, 6), lambda x: lib.nn.functional.relu6(x))) == 1
    assert traced(lib.tensor([-1.0, 9.0])).tolist() == [0.0, 12.0]


def test_shape_prop(lib: ModuleType) -> None:
    """Shapes and dtypes of all results are noted, those of several results in their nesting."""
    fx = fx_of(lib)
    shape_prop = importlib.import_module(f"{lib.__name__}.fx.passes.shape_prop")
    traced = fx.symbolic_trace(lambda x: lib.topk(x.double(), 2)[0].sum(0))
    result = shape_prop.ShapeProp(traced).propagate(lib.ones(3, 4))
    by_name = {node.name: node.meta for node in traced.graph.nodes}
    assert tuple(by_name["x"]["tensor_meta"].shape) == (3, 4) and by_name["double"]["tensor_meta"].dtype is lib.float64
    assert [tuple(meta.shape) for meta in by_name["topk"]["tensor_meta"]] == [(3, 2), (3, 2)]
    assert by_name["sum_1"]["tensor_meta"].stride == (1,) and result.shape == (2,)


def test_fuse() -> None:
    """Batch norm goes into the convolution before it; the results are the same."""
    lib, optimization = sg, sg.fx.experimental.optimization
    net = net_of(lib)
    for _ in range(3):
        net(lib.randn(4, 1, 4, 4))
    net.eval()
    fused = optimization.fuse(net)
    assert not any(isinstance(m, lib.nn.BatchNorm2d) for m in fused.modules())
    x = lib.randn(2, 1, 4, 4)
    assert lib.allclose(fused(x), net(x), atol=1e-5)
    unwrapped = optimization.remove_dropout(net)
    assert not any(node.target == "3" for node in unwrapped.graph.nodes)


def test_intermediate_results(lib: ModuleType) -> None:
    """What feature extraction does: another output, and what it does not need is gone."""
    fx = fx_of(lib)
    traced = fx.symbolic_trace(net_of(lib))
    relu = traced.graph.find_nodes(op="call_module", target="2")[0]
    output = list(traced.graph.nodes)[-1]
    with traced.graph.inserting_before(output):
        traced.graph.output({"relu": relu})
    traced.graph.erase_node(output)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    traced.delete_all_unused_submodules()
    found = traced(lib.randn(2, 1, 4, 4))
    assert list(found) == ["relu"] and found["relu"].shape == (2, 2, 2, 2)
    assert [name for name, _ in traced.named_children()] == ["0", "1", "2"]


def test_training_a_traced_module(lib: ModuleType) -> None:
    """Modes reach the layers, and an optimizer trains the parameters."""
    traced = fx_of(lib).symbolic_trace(net_of(lib))
    assert traced.training and not traced.eval().training and not getattr(traced, "3").training
    traced.train()
    opt = lib.optim.SGD(traced.parameters(), lr=0.1)
    before = getattr(traced, "5").weight.detach().clone()
    traced(lib.randn(4, 1, 4, 4)).square().mean().backward()
    opt.step()
    assert not lib.equal(before, getattr(traced, "5").weight)
