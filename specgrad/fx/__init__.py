"""Programs as graphs, under PyTorch's name; the code is in specgrad.nn.fx."""

from ..nn.fx.aggregates import map_arg
from ..nn.fx.code import CodeGen
from ..nn.fx.graph import Graph
from ..nn.fx.graph_module import GraphModule
from ..nn.fx.interpreter import Interpreter, Transformer
from ..nn.fx.node import Node, has_side_effect
from ..nn.fx.proxy import Proxy
from ..nn.fx.rewriting import replace_pattern
from ..nn.fx.tracer import PH, Tracer, symbolic_trace
from ..nn.fx.wrapping import wrap
from . import (
    _compatibility,
    _symbolic_trace,
    experimental,
    graph,
    graph_module,
    immutable_collections,
    interpreter,
    node,
    passes,
    proxy,
    subgraph_rewriter,
)

__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "_compatibility",
    "_symbolic_trace",
    "experimental",
    "graph",
    "graph_module",
    "has_side_effect",
    "immutable_collections",
    "interpreter",
    "map_arg",
    "node",
    "passes",
    "proxy",
    "replace_pattern",
    "subgraph_rewriter",
    "symbolic_trace",
    "wrap",
]
