"""Optimizations of traced modules for inference: batch norm folded into convolutions, dropout left out."""

from __future__ import annotations

import copy
from typing import Any

from ..modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ..modules.conv import Conv1d, Conv2d, Conv3d
from ..modules.dropout import Dropout, Dropout2d, Dropout3d
from ..utils.fusion import fuse_conv_bn_eval
from .graph_module import GraphModule
from .node import Node
from .tracer import symbolic_trace

_PAIRS = ((Conv1d, BatchNorm1d), (Conv2d, BatchNorm2d), (Conv3d, BatchNorm3d))


def fuse(model: Any, inplace: bool = False, no_trace: bool = False) -> GraphModule:
    """A module with batch norm layers folded into the convolutions before them, for evaluation.

    Args:
        model: the module, in evaluation mode.
        inplace: whether it is changed itself.
        no_trace: it is a GraphModule already.

    Raises:
        TypeError: it is not.

    Example:
        >>> import specgrad as sg
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
        _replace(traced, before.target, fused)
        node.replace_all_uses_with(before)
        traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced


def _are_pair(before: Node, node: Node, modules: dict[str, Any]) -> bool:
    """Whether two nodes call a convolution and the batch norm of as many dimensions."""
    if before.op != "call_module" or node.op != "call_module":
        return False
    kinds = type(modules[before.target]), type(modules[node.target])
    return kinds in _PAIRS


def _replace(owner: Any, path: str, module: Any) -> None:
    *prefix, name = path.split(".")
    for part in prefix:
        owner = getattr(owner, part)
    setattr(owner, name, module)


def remove_dropout(model: Any) -> GraphModule:
    """A traced module without its dropout layers.

    Args:
        model: the module.

    Example:
        >>> import specgrad as sg
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


__all__ = ["fuse", "remove_dropout"]
