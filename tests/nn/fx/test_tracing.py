"""Tracing: what becomes a node, what is gone through, and what cannot be traced."""

from __future__ import annotations

import importlib
import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


def fx_of(lib: ModuleType) -> Any:
    """fx of a library."""
    return importlib.import_module(f"{lib.__name__}.fx")


def module_of(lib: ModuleType) -> Any:
    """A module with all that a graph may name."""
    nn, functional = lib.nn, lib.nn.functional

    class Inner(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(lib.full((4,), 0.5))
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.layer(x) * self.scale

    class Outer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()
            self.act = nn.Sequential(nn.ReLU(), nn.Dropout(0.0))
            self.register_buffer("mean", lib.ones(4))
            self.constant = lib.full((4,), 2.0)

        def forward(self, x: Any, gain: float = 1.0) -> Any:
            x = self.act(self.inner(x)) + self.mean
            x = functional.softmax(x * self.constant, dim=-1) * gain
            return {"values": x.clamp(min=0.1), "sizes": (x.size(0), x.shape)}

    return Outer()


def steps(graph: Any) -> list[tuple[str, Any]]:
    """Kind and target of each node, functions by name."""
    return [(n.op, n.target if isinstance(n.target, str) else n.target.__name__) for n in graph.nodes]


def test_module_becomes_a_graph(lib: ModuleType) -> None:
    """Layers are calls of modules, modules of the user's are gone through, parameters and buffers looked up."""
    traced = fx_of(lib).symbolic_trace(module_of(lib))
    assert steps(traced.graph) == [
        ("placeholder", "x"),
        ("placeholder", "gain"),
        ("call_module", "inner.layer"),
        ("get_attr", "inner.scale"),
        ("call_function", "mul"),
        ("call_module", "act.0"),
        ("call_module", "act.1"),
        ("get_attr", "mean"),
        ("call_function", "add"),
        ("get_attr", "constant"),
        ("call_function", "mul"),
        ("call_function", "softmax"),
        ("call_function", "mul"),
        ("call_method", "clamp"),
        ("call_method", "size"),
        ("call_function", "getattr"),
        ("output", "output"),
    ]


def test_traced_module_computes_the_same(lib: ModuleType) -> None:
    """Values, gradients of shared parameters, defaults and names of arguments."""
    module = module_of(lib)
    traced = fx_of(lib).symbolic_trace(module)
    x = lib.randn(3, 4)
    for args, kwargs in (((x,), {}), ((x, 2.0), {}), ((x,), {"gain": 3.0})):
        expected, found = module(*args, **kwargs), traced(*args, **kwargs)
        assert lib.equal(expected["values"], found["values"]) and found["sizes"] == expected["sizes"]
    traced(x)["values"].sum().backward()
    assert traced.inner.scale is module.inner.scale and module.inner.scale.grad is not None
    assert sorted(traced.state_dict()) == sorted([*module.state_dict(), "constant"])


def test_names_and_text(lib: ModuleType) -> None:
    """Nodes are named for what they call, numbered from the second on; the code is as one would write it."""

    def double(x, input):  # type: ignore[no-untyped-def]
        return lib.relu(x + input) + lib.relu(x), -x[0], 2**x, x.shape[-1]

    traced = fx_of(lib).symbolic_trace(double)
    names = [node.name for node in traced.graph.nodes]
    assert names[:6] == ["x", "input_1", "add", "relu", "relu_1", "add_1"]
    assert "getattr_1" in names and "pow_1" in names
    assert traced.code.strip().splitlines() == [
        "def forward(self, x, input):",
        "    input_1 = input",
        "    add = x + input_1;  input_1 = None",
        f"    relu = {lib.__name__}.relu(add);  add = None",
        f"    relu_1 = {lib.__name__}.relu(x)",
        "    add_1 = relu + relu_1;  relu = relu_1 = None",
        "    getitem = x[0]",
        "    neg = -getitem;  getitem = None",
        "    pow_1 = 2 ** x",
        "    getattr_1 = x.shape;  x = None",
        "    getitem_1 = getattr_1[-1];  getattr_1 = None",
        "    return (add_1, neg, pow_1, getitem_1)",
    ]


@pytest.mark.parametrize(
    "name, function",
    [
        ("bool", lambda lib, x: x if x.sum() > 0 else -x),
        ("loop", lambda lib, x: [item + 1 for item in x]),
        ("while", lambda lib, x: not x),
    ],
)
def test_control_flow_is_refused(lib: ModuleType, name: str, function: Callable[..., Any]) -> None:
    """What depends on values is a TraceError that says so."""
    message = "cannot be iterated" if name == "loop" else "symbolically traced variables cannot be used as inputs"
    with pytest.raises(fx_of(lib).proxy.TraceError, match=message):
        fx_of(lib).symbolic_trace(lambda x: function(lib, x))


def test_len_is_refused(lib: ModuleType) -> None:
    """`len` has to be a number, so it asks to be wrapped."""
    with pytest.raises(RuntimeError, match="'len' is not supported in symbolic tracing by default"):
        fx_of(lib).symbolic_trace(lambda x: len(x))


def test_unpacking(lib: ModuleType) -> None:
    """`a, b = x` says how many items there are."""

    def swapped(x: Any) -> Any:
        a, b = x.chunk(2)
        (c, d), e = a, b
        return e, d, c

    graph = fx_of(lib).symbolic_trace(swapped).graph
    assert [n.args[1] for n in graph.nodes if n.target is operator.getitem] == [0, 1, 0, 1]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "creation": lambda lib, x: lib.zeros(x.size(0)) + lib.arange(x.shape[0]),
    "like": lambda lib, x: lib.zeros_like(x, dtype=lib.float64),
    "constant": lambda lib, x: lib.tensor(3.0) * x,
    "view of a constant": lambda lib, x: lib.ones(2, 3).view(x.shape[0], -1),
    "einsum": lambda lib, x: lib.einsum("ij->i", x),
    "lists": lambda lib, x: lib.cat([x, lib.stack((x, x)).sum(0)], dim=1),
    "keywords": lambda lib, x: lib.flatten(x, start_dim=0).sum(dim=0, keepdim=True),
    "slices": lambda lib, x: x[:, : x.size(1) // 2] + x[..., -1:, None, 0],
    "dtypes": lambda lib, x: x.to(lib.float64).type(lib.float32).double(),
    "devices": lambda lib, x: x.to(lib.device("cpu")),
    "infinity": lambda lib, x: x.masked_fill(x > 0, float("-inf")),
    "functional": lambda lib, x: lib.nn.functional.layer_norm(lib.nn.functional.gelu(x), (2,)),
    "padding": lambda lib, x: lib.nn.functional.pad(x, (1, 1), value=2.0),
    "pooling": lambda lib, x: lib.nn.functional.max_pool2d(x[None, None], 2),
    "attention": lambda lib, x: lib.nn.functional.scaled_dot_product_attention(x, x, x),
    "several results": lambda lib, x: lib.max(x, 1)[1] + lib.topk(x, 1).indices.sum(),
    "methods in place": lambda lib, x: x.clone().add_(1).mul_(2),
    "reflected": lambda lib, x: 1 - (2 / (x + 3)) @ x.T,
    "abs": lambda lib, x: abs(x) // 1 % 2,
    "logic": lambda lib, x: (x > 0) & ~(x < 1) | (x == 2),
    "linalg": lambda lib, x: lib.linalg.norm(x, dim=0),
    "named results": lambda lib, x: {"a": [x, None], "b": (x.mT,)},
    "where": lambda lib, x: lib.where(x > 0, x, 0.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_compute_the_same(lib: ModuleType, name: str) -> None:
    """The code of a traced function gives what the function gives."""
    function = FUNCTIONS[name]
    traced = fx_of(lib).symbolic_trace(lambda x: function(lib, x))
    traced.graph.lint()
    x = lib.tensor([[1.0, -2.0], [3.0, 4.0]])
    expected, found = function(lib, x.clone()), traced(x.clone())
    assert repr(found) == repr(expected)


def test_parameters_that_are_reshaped(lib: ModuleType) -> None:
    """What is done to parameters alone is part of the graph too, and trained."""

    class Net(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weight = lib.nn.Parameter(lib.ones(2, 2))

        def forward(self, x: Any) -> Any:
            return x * self.weight.view(4).sigmoid()

    traced = fx_of(lib).symbolic_trace(Net())
    assert ("call_method", "view") in steps(traced.graph)
    traced(lib.ones(4)).sum().backward()
    assert traced.weight.grad.shape == (2, 2)


def test_tracing_leaves_modules_as_they_were(lib: ModuleType) -> None:
    """Calls and attributes of modules are the usual ones again, also behind an error."""
    module = lib.nn.Linear(2, 2)
    before = lib.nn.Module.__call__, lib.nn.Module.__getattr__
    with pytest.raises(fx_of(lib).proxy.TraceError):
        fx_of(lib).symbolic_trace(lambda x: 1 if x else 2)
    fx_of(lib).symbolic_trace(module)
    assert (lib.nn.Module.__call__, lib.nn.Module.__getattr__) == before
    assert isinstance(module.weight, lib.nn.Parameter) and module(lib.ones(2)).shape == (2,)


def test_leaves_are_the_tracers_choice(lib: ModuleType) -> None:
    """`is_leaf_module` says which modules are calls; paths name them."""
    fx = fx_of(lib)
    seen: list[str] = []

    class Custom(fx.Tracer):  # type: ignore[misc, name-defined]
        def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
            seen.append(module_qualified_name)
            return module_qualified_name == "inner"

    module = module_of(lib)
    graph = Custom().trace(module)
    assert ("call_module", "inner") in steps(graph) and ("call_function", "relu") in steps(graph)
    assert seen == ["inner", "act", "act.0", "act.1"]
    assert lib.equal(fx.GraphModule(module, graph)(lib.ones(1, 4))["values"], module(lib.ones(1, 4))["values"])


def test_variable_arguments(lib: ModuleType) -> None:
    """`*args`, `**kwargs` and keyword-only parameters are arguments of the graph."""

    def function(x: Any, *rest: Any, scale: float = 2.0, **options: Any) -> Any:
        return x * scale + rest[0] + options["bias"]

    traced = fx_of(lib).symbolic_trace(function)
    assert [n.target for n in traced.graph.nodes if n.op == "placeholder"] == ["x", "scale", "*rest", "**options"]


def test_operands_in_a_list(lib: ModuleType) -> None:
    """Tensors that einsum gets in a list are arguments of their own in the graph, as in PyTorch's."""

    def product(a: Any, b: Any) -> Any:
        return lib.einsum("ij,jk->ik", [a, b]) + lib.einsum("ij,jk->ik", (a, b)) + lib.einsum("ij,jk->ik", a, b)

    traced = fx_of(lib).symbolic_trace(product)
    calls = [node.args for node in traced.graph.nodes if node.target is lib.einsum]
    assert [[str(value) for value in args] for args in calls] == [["ij,jk->ik", "a", "b"]] * 3
    a, b = lib.arange(6.0).reshape(2, 3), lib.arange(12.0).reshape(3, 4)
    assert lib.equal(traced(a, b), 3 * (a @ b))
    given = fx_of(lib).symbolic_trace(lambda a, b: lib.einsum(a, [0, 1], b, [1, 2]))
    assert [node.args[1::2] for node in given.graph.nodes if node.target is lib.einsum] == [([0, 1], [1, 2])]


def test_concrete_arguments(lib: ModuleType) -> None:
    """An argument that is fixed may decide what is traced; another value is refused when the graph runs."""

    def function(x: Any, double: bool = False) -> Any:
        return x * 2 if double else x

    traced = fx_of(lib).symbolic_trace(function, concrete_args={"double": True})
    assert traced(lib.ones(1), True).tolist() == [2.0]
    with pytest.raises(AssertionError, match="double has been specialized to have value True"):
        traced(lib.ones(1), False)


def test_functions_of_math(lib: ModuleType) -> None:
    """Functions of `math` become nodes."""
    traced = fx_of(lib).symbolic_trace(lambda x: x * math.sqrt(x.size(0)))
    assert ("call_function", "sqrt") in steps(traced.graph)
    assert traced(lib.ones(4)).tolist() == [2.0] * 4


def test_two_tracers_do_not_mix(lib: ModuleType) -> None:
    """An op of proxies of two tracers is an error."""
    fx = fx_of(lib)
    a, b = (fx.Proxy(fx.Graph().placeholder("x")) for _ in range(2))
    with pytest.raises(RuntimeError, match="multiple different tracers"):
        lib.add(a, b)


def test_foreign_parameters_are_refused(lib: ModuleType) -> None:
    """A parameter that is no member of the root cannot be named by a graph."""
    other = lib.nn.Parameter(lib.ones(1))
    with pytest.raises(NameError, match="parameter is not a member of this module"):
        fx_of(lib).symbolic_trace(lambda x: x + other)


def test_unknown_modules_are_refused(lib: ModuleType) -> None:
    """Nor can a module that is not installed there."""
    layer = lib.nn.ReLU()
    with pytest.raises(NameError, match="module is not installed as a submodule"):
        fx_of(lib).symbolic_trace(lambda x: layer(x))


def test_wrap(lib: ModuleType) -> None:
    """A function given to `wrap` at the top of a module is a call, and is not traced through."""
    fx = fx_of(lib)
    space: dict[str, Any] = {"fx": fx, "lib": lib, "__name__": "somewhere"}
    text = (
        "fx.wrap('len')\n@fx.wrap\ndef twice(x, n):\n    return x * n if n > 0 else x\n"
        "def program(x):\n    return twice(x, len(x))\n"
    )
    exec(compile(text, "somewhere.py", "exec"), space)
    traced = fx.symbolic_trace(space["program"])
    assert [n.target for n in traced.graph.nodes if n.op == "call_function"] == [len, space["twice"]]
    assert traced(lib.ones(3)).tolist() == [3.0] * 3
    with pytest.raises(NotImplementedError, match="top level of a module"):
        fx.wrap("len")


def test_assertions_are_part_of_the_graph(lib: ModuleType) -> None:
    """`_assert` of a traced condition is a node that stays, and fails when the graph runs."""

    def checked(x: Any) -> Any:
        lib._assert(x.dim() == 1, "expected a vector")
        return x * 2

    traced = fx_of(lib).symbolic_trace(checked)
    traced.graph.eliminate_dead_code()
    traced.recompile()
    assert traced(lib.ones(1)).tolist() == [2.0]
    with pytest.raises(AssertionError, match="expected a vector"):
        traced(lib.ones(1, 1))
