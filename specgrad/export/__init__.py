"""Modules as graphs with named inputs, under PyTorch's name; the code is in specgrad.nn.export."""

from ..nn.export.dims import Dim, dims
from ..nn.export.exporting import export, load, save
from ..nn.export.program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from ..nn.export.signatures import ExportGraphSignature
from ..runtime.arguments import guard_module as _guard_module
from ..runtime.pytorch.trees.nodes import register_dataclass
from . import dynamic_shapes, exported_program, graph_signature

__all__ = [
    "Dim",
    "ExportGraphSignature",
    "ExportedProgram",
    "ModuleCallEntry",
    "ModuleCallSignature",
    "dims",
    "dynamic_shapes",
    "export",
    "exported_program",
    "graph_signature",
    "load",
    "register_dataclass",
    "save",
]

_guard_module(__name__)
