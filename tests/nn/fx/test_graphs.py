"""Graph and Node: adding, moving, copying and removing steps; what is wrong with a graph; text."""

from __future__ import annotations

import copy
import operator
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg
from tests.nn.fx.test_tracing import fx_of


def made(lib: ModuleType) -> tuple[Any, Any, Any, Any]:
    """A graph of relu(x) + 1, and its nodes."""
    graph = fx_of(lib).Graph()
    x = graph.placeholder("x")
    relu = graph.call_function(lib.relu, (x,))
    total = graph.call_function(operator.add, (relu, 1))
    graph.output(total)
    return graph, x, relu, total


def run(lib: ModuleType, graph: Any) -> Any:
    """What a graph gives for -1 and 2."""
    return fx_of(lib).GraphModule({}, graph)(lib.tensor([-1.0, 2.0])).tolist()


def test_users_and_arguments(lib: ModuleType) -> None:
    """Nodes know whom they use and who uses them, whatever the nesting."""
    graph, x, relu, total = made(lib)
    assert list(x.users) == [relu] and relu.all_input_nodes == [x] and total.args == (relu, 1)
    total.args = (relu, x)
    assert list(x.users) == [relu, total]
    total.update_arg(1, 2)
    assert list(x.users) == [relu] and total.args == (relu, 2)
    total.kwargs = {"other": [x, {"deep": (x, slice(x, None))}]}
    assert total in x.users and total.all_input_nodes == [relu, x]
    total.kwargs = {}
    total.insert_arg(0, x)
    assert total.args == (x, relu, 2)
    total.replace_input_with(x, relu)
    assert total not in x.users


def test_arguments_cannot_be_changed_in_place(lib: ModuleType) -> None:
    """Lists and dicts of arguments refuse writes, which nobody would know of."""
    graph, x, _, _ = made(lib)
    node = graph.call_function(lib.cat, ([x, x],), {"dim": 0})
    for write in (lambda: node.args[0].append(x), lambda: node.kwargs.update(dim=1)):
        with pytest.raises((TypeError, NotImplementedError), match="mutation|immutable"):
            write()
    assert node.args[0] == [x, x] and node.kwargs == {"dim": 0}


def test_inserting(lib: ModuleType) -> None:
    """Nodes are added before or behind others, in order, in blocks that nest."""
    graph, x, relu, total = made(lib)
    with graph.inserting_before(total):
        first = graph.call_function(operator.mul, (relu, 2))
        with graph.inserting_after(x):
            shifted = graph.call_function(operator.add, (x, 5))
        second = graph.call_function(operator.neg, (first,))
    total.args = (second, 1)
    relu.args = (shifted,)
    assert [n.name for n in graph.nodes] == ["x", "add_1", "relu", "mul", "neg", "add", "output"]
    graph.lint()
    assert run(lib, graph) == [-7.0, -13.0]


def test_replacing_and_erasing(lib: ModuleType) -> None:
    """A node that is used cannot be removed; one that nobody uses any more can."""
    graph, x, relu, total = made(lib)
    with pytest.raises(RuntimeError, match="Tried to erase Node relu but it still had 1 users"):
        graph.erase_node(relu)
    with graph.inserting_after(relu):
        other = graph.call_function(lib.sigmoid, (x,))
    assert relu.replace_all_uses_with(other) == [total] and not relu.users
    graph.erase_node(relu)
    assert [n.name for n in graph.nodes] == ["x", "sigmoid", "add", "output"] and len(graph.nodes) == 4
    assert list(reversed(graph.nodes))[0].op == "output"
    assert x.next is other and other.prev is x


def test_replacing_some_uses(lib: ModuleType) -> None:
    """A callback chooses the users; meta may go over."""
    graph, x, relu, total = made(lib)
    other = graph.call_function(lib.sigmoid, (x,))
    x.replace_all_uses_with(other, delete_user_cb=lambda user: user is total)
    assert relu.args == (x,)
    relu.meta["note"] = 1
    relu.replace_all_uses_with(other, propagate_meta=True)
    assert other.meta["note"] == 1


def test_moving(lib: ModuleType) -> None:
    """`append` and `prepend` put a node to another place."""
    graph, x, relu, total = made(lib)
    relu.prepend(total)
    assert [n.name for n in graph.nodes] == ["x", "add", "relu", "output"]
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        graph.lint()
    relu.append(total)
    graph.lint()


def test_lint(lib: ModuleType) -> None:
    """Targets that the module has not are found."""
    graph = fx_of(lib).Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_module("missing", (x,)))
    graph.owning_module = lib.nn.Module()
    with pytest.raises(RuntimeError, match="missing"):
        graph.lint()


def test_dead_code(lib: ModuleType) -> None:
    """What nobody uses goes; arguments, and what has another effect, stay."""
    fx = fx_of(lib)

    @fx.has_side_effect
    def note(x: Any) -> None:
        pass

    graph, x, relu, total = made(lib)
    with graph.inserting_before(total):
        dead = graph.call_function(lib.neg, (x,))
        graph.call_function(lib.exp, (dead,))
        graph.call_function(note, (x,))
        graph.call_function(operator.setitem, (relu, 0, 5.0))
    unused = graph.inserting_after(x)
    with unused:
        graph.placeholder("y")
    assert graph.eliminate_dead_code() and not graph.eliminate_dead_code()
    assert [n.name for n in graph.nodes] == ["x", "y", "relu", "note", "setitem", "add", "output"]


def test_copies(lib: ModuleType) -> None:
    """Graphs are copied whole, and into others."""
    fx = fx_of(lib)
    graph, *_ = made(lib)
    copied = copy.deepcopy(graph)
    assert str(copied) == str(graph) and all(a is not b for a, b in zip(copied.nodes, graph.nodes, strict=True))
    other = fx.Graph()
    result = other.graph_copy(graph, {})
    other.output(other.call_function(operator.mul, (result, 2)))
    assert run(lib, other) == [2.0, 6.0]
    single = fx.Graph()
    single.node_copy(next(iter(graph.nodes)))
    assert [n.name for n in single.nodes] == ["x"]


def test_text(lib: ModuleType) -> None:
    """A graph shows each step in a line."""
    graph, *_ = made(lib)
    assert str(graph).splitlines() == [
        "graph():",
        "    %x : [num_users=1] = placeholder[target=x]",
        f"    %relu : [num_users=1] = call_function[target={lib.__name__}.relu](args = (%x,), kwargs = {{}})",
        "    %add : [num_users=1] = call_function[target=operator.add](args = (%relu, 1), kwargs = {})",
        "    return add",
    ]


def test_code_of_every_kind_of_argument() -> None:
    """What stands in the arguments stands in the code, and means the same when it runs."""
    lib = sg

    def retained(*args: Any, **kwargs: Any) -> Any:
        return args, kwargs

    values = (1, -2.5, "a'b", None, True, float("inf"), 1j, lib.float16, [1, (2,)], {"k": slice(1, None, 2)}, ..., len)
    graph = fx_of(lib).Graph()
    graph.output(graph.call_function(retained, values, {"dtype": lib.int64, "device": lib.device("cpu")}))
    found, named = fx_of(lib).GraphModule({}, graph)()
    assert found == values and named == {"dtype": lib.int64, "device": lib.device("cpu")}


def test_paths_that_are_no_names(lib: ModuleType) -> None:
    """Modules of a Sequential are reached by their numbers."""
    traced = fx_of(lib).symbolic_trace(lib.nn.Sequential(lib.nn.Sequential(lib.nn.ReLU())))
    assert 'getattr(getattr(self, "0"), "0")' in traced.code
    assert traced(lib.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]


def test_python_code(lib: ModuleType) -> None:
    """The text names what it needs, which stands beside it."""
    graph, *_ = made(lib)
    code = graph.python_code("self")
    assert f"{lib.__name__}.relu(x)" in code.src and code.globals[lib.__name__] is lib


def test_generated_code_may_be_changed(lib: ModuleType) -> None:
    """`on_generate_code` changes the lines whenever they are written."""
    graph, *_ = made(lib)
    with graph.on_generate_code(lambda before: lambda lines: ["# mine\n", *lines]):
        assert "# mine" in graph.python_code("self").src
    assert "# mine" not in graph.python_code("self").src


def test_map_arg(lib: ModuleType) -> None:
    """Nodes in nested arguments are found, other values left."""
    fx = fx_of(lib)
    x = fx.Graph().placeholder("x")
    found = fx.node.map_arg(([x, 1], {"a": (x, slice(x, 2, None))}), lambda node: node.name)
    assert found == (["x", 1], {"a": ("x", slice("x", 2, None))})


def test_wrong_nodes_are_refused(lib: ModuleType) -> None:
    """Nodes of other graphs, and targets that nothing can be done with."""
    graph, x, *_ = made(lib)
    other = fx_of(lib).Graph()
    with pytest.raises((AssertionError, RuntimeError)):
        other.call_function(lib.relu, (x,))
        other.lint()
    with pytest.raises(ValueError, match="Callable"):
        graph.call_function("relu", (x,))  # type: ignore[arg-type]


def test_find_nodes(lib: ModuleType) -> None:
    """Nodes by kind and target, in order."""
    graph, x, relu, total = made(lib)
    assert graph.find_nodes(op="call_function", target=lib.relu) == [relu]
    assert graph.find_nodes(op="placeholder") == [x]
