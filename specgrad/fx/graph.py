"""Graphs and their code under PyTorch's name."""

from ..nn.fx.code import CodeGen, PythonCode
from ..nn.fx.graph import Graph
from ..runtime.arguments import guard_module as _guard_module

__all__ = ["CodeGen", "Graph", "PythonCode"]

_guard_module(__name__)
