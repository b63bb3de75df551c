"""Changes of graphs: replace_pattern, batch norm folded into convolutions, dropout left out; and ShapeProp."""

import copy
from typing import Any, NamedTuple

from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import dtype
from ...runtime.tensor.memory_format import contiguous_format, memory_format
from ...runtime.tensor.tensor import TensorBase
from ..modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ..modules.conv import Conv1d, Conv2d, Conv3d
from ..modules.dropout import Dropout, Dropout2d, Dropout3d
from ..modules.module import Module
from ..utils.fusion import fuse_conv_bn_eval
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter
from .node import Node
from .node_arguments import map_aggregate
from .tracer import symbolic_trace


class Match(NamedTuple):
    """Where a pattern was found: the node that gives its result, and each node of the pattern with the graph's."""

    anchor: Node
    nodes_map: dict[Node, Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace all places of a graph that do what a pattern does, where they do not overlap.

    Args:
        gm: the GraphModule, which is changed.
        pattern: a function, Graph or GraphModule; its parameters stand for any values.
        replacement: likewise, with the same parameters.

    Returns: list: one Match for each place.

    Example:
        >>> traced = sg.fx.symbolic_trace(lambda x: sg.relu(x) + 1)
        >>> found = sg.fx.replace_pattern(traced, lambda x: sg.relu(x), lambda x: sg.sigmoid(x))
        >>> len(found), traced(sg.zeros(1))
        (1, tensor([1.5000]))
    """
    requested, instead = _graph_of(pattern), _graph_of(replacement)
    matches = _matches(gm.graph, requested)
    replaced: dict[Node, Node] = {}
    for match in matches:
        _put(gm.graph, requested, instead, match, replaced)
    if isinstance(replacement, Module):
        _take_over(gm, replacement, instead)
    gm.recompile()
    return matches


def _graph_of(value: Any) -> Graph:
    if isinstance(value, GraphModule):
        return value.graph
    return value if isinstance(value, Graph) else symbolic_trace(value).graph


def _matches(graph: Graph, pattern: Graph) -> list[Match]:
    result = pattern.output_node().args[0]
    if not isinstance(result, Node):
        raise RuntimeError("a pattern returns one value")
    matched_nodes: set[Node] = set()
    matches = []
    for node in graph.nodes:
        mapped: dict[Node, Node] = {}
        if not _fits(result, node, mapped):
            continue
        inside = {n for p, n in mapped.items() if p.op != "placeholder"}
        if inside & matched_nodes or not _is_closed(inside, node):
            continue
        matched_nodes |= inside
        mapped[pattern.output_node()] = node
        matches.append(Match(node, mapped))
    return matches


def _fits(pattern: Any, value: Any, mapped: dict[Node, Node]) -> bool:
    if not isinstance(pattern, Node):
        return _is_equal(pattern, value, mapped)
    if pattern in mapped:
        return mapped[pattern] is value or (not isinstance(value, Node) and mapped[pattern] == value)
    if pattern.op == "placeholder":
        mapped[pattern] = value
        return True
    if not isinstance(value, Node) or (pattern.op, pattern.target) != (value.op, value.target):
        return False
    mapped[pattern] = value
    same = len(pattern.args) == len(value.args) and pattern.kwargs.keys() == value.kwargs.keys()
    return (
        same
        and all(_fits(p, v, mapped) for p, v in zip(pattern.args, value.args, strict=True))
        and all(_fits(p, value.kwargs[name], mapped) for name, p in pattern.kwargs.items())
    )


def _is_equal(pattern: Any, value: Any, mapped: dict[Node, Node]) -> bool:
    if isinstance(pattern, (list, tuple)) and isinstance(value, (list, tuple)):
        alike = len(pattern) == len(value)
        return alike and all(_fits(p, v, mapped) for p, v in zip(pattern, value, strict=True))
    return not isinstance(value, Node) and type(pattern) is type(value) and bool(pattern == value)


def _is_closed(inside: set[Node], result: Node) -> bool:
    return all(user in inside for node in inside if node is not result for user in node.users)


def _put(graph: Graph, pattern: Graph, instead: Graph, match: Match, replaced: dict[Node, Node]) -> None:
    args = [match.nodes_map[n] for n in pattern.nodes if n.op == "placeholder" and n in match.nodes_map]
    args = [replaced.get(value, value) if isinstance(value, Node) else value for value in args]
    parameters = [n for n in instead.nodes if n.op == "placeholder"]
    values: dict[Node, Any] = dict(zip(parameters, args, strict=False))
    with graph.inserting_before(match.anchor):
        result = graph.graph_copy(instead, values)
    if not isinstance(result, Node):
        raise RuntimeError("a replacement returns one value")
    match.anchor.replace_all_uses_with(result)
    replaced[match.anchor] = result
    for node in reversed(pattern.nodes):
        cached = match.nodes_map.get(node)
        if node.op not in ("placeholder", "output") and isinstance(cached, Node) and not cached.users:
            graph.erase_node(cached)


def _take_over(gm: GraphModule, source: Module, instead: Graph) -> None:
    for node in instead.nodes:
        if node.op == "call_module" and not _has(gm, node.target):
            gm.add_submodule(node.target, copy.deepcopy(source.get_submodule(node.target)))
        elif node.op == "get_attr" and not _has(gm, node.target):
            setattr(gm, node.target, getattr(source, node.target))


def _has(module: Any, path: str) -> bool:
    for part in path.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True


_PAIRS = ((Conv1d, BatchNorm1d), (Conv2d, BatchNorm2d), (Conv3d, BatchNorm3d))


def fuse(model: Any, inplace: bool = False, no_trace: bool = False) -> GraphModule:
    """A module with batch norm layers folded into the convolutions before them, for evaluation.

    Args:
        model: the module, in evaluation mode.
        inplace: whether it is changed itself.
        no_trace: it is a GraphModule already.

    Raises: TypeError: it is not.

    Example:
        >>> net = sg.nn.Sequential(sg.nn.Conv2d(1, 2, 3), sg.nn.BatchNorm2d(2)).eval()
        >>> fused = sg.fx.experimental.optimization.fuse(net)
        >>> [node.target for node in fused.graph.nodes if node.op == "call_module"]
        ['0']
    """
    if no_trace and not isinstance(model, GraphModule):
        raise TypeError(f"fuse(): without tracing, the model must be a GraphModule, but got {type(model).__name__}")
    model = model if inplace else copy.deepcopy(model)
    traced: GraphModule = model if no_trace else symbolic_trace(model)
    modules = dict(traced.named_modules())
    for node in list(traced.graph.nodes):
        before = node.args[0] if node.args else None
        if not isinstance(before, Node) or not _are_pair(before, node, modules) or len(before.users) > 1:
            continue
        conv, norm = modules[before.target], modules[node.target]
        if not norm.track_running_stats:
            continue
        modules[before.target] = fused = fuse_conv_bn_eval(conv, norm)
        traced.set_submodule(before.target, fused)
        node.replace_all_uses_with(before)
        traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced


def _are_pair(before: Node, node: Node, modules: dict[str, Any]) -> bool:
    if before.op != "call_module" or node.op != "call_module":
        return False
    kinds = type(modules[before.target]), type(modules[node.target])
    return kinds in _PAIRS


def remove_dropout(model: Any) -> GraphModule:
    """A traced module without its dropout layers.

    Args:
        model: the module.

    Example:
        >>> bare = sg.fx.experimental.optimization.remove_dropout(sg.nn.Sequential(sg.nn.Dropout(), sg.nn.ReLU()))
        >>> [node.target for node in bare.graph.nodes if node.op == "call_module"]
        ['1']
    """
    traced = symbolic_trace(model)
    modules = dict(traced.named_modules())
    for node in list(traced.graph.nodes):
        if node.op == "call_module" and isinstance(modules[node.target], (Dropout, Dropout2d, Dropout3d)):
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced


class TensorMetadata(NamedTuple):
    """What a result is, without its values."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


class ShapeProp(Interpreter):
    """Runs a GraphModule and notes in each node's `meta` what its result is: `tensor_meta` and `type`.

    Args:
        gm: the GraphModule.
        fake_mode: refused: there are no tensors without values here but those of the device `meta`.

    Example:
        >>> traced = sg.fx.symbolic_trace(lambda x: x.sum(0))
        >>> out = sg.fx.passes.shape_prop.ShapeProp(traced).propagate(sg.ones(2, 3))
        >>> [node.meta["tensor_meta"].shape for node in traced.graph.nodes if node.op == "call_method"]
        [specgrad.Size([3])]
    """

    def __init__(self, gm: Any, fake_mode: Any = None) -> None:
        if fake_mode is not None:
            raise NotImplementedError("ShapeProp(): there is no fake_mode; give arguments of the device meta")
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """The result of the node `n`, noted in its `meta`."""
        result = super().run_node(n)
        matches: list[Any] = []
        meta = map_aggregate(result, lambda item: _note(item, matches))
        if matches:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run the graph with the module's arguments; its result."""
        return super().run(*args)


def _note(item: Any, result: list[Any]) -> Any:
    if not isinstance(item, TensorBase):
        return item
    result.append(item)
    layout = contiguous_format if item.is_contiguous() else None
    return TensorMetadata(item.shape, item.dtype, item._requires_grad, item.stride(), layout, False, {})


__all__ = ["Match", "ShapeProp", "TensorMetadata", "fuse", "remove_dropout", "replace_pattern"]
