"""The program of a module, under PyTorch's name."""

from ..nn.export.program import ExportedProgram, ModuleCallEntry, ModuleCallSignature

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature"]
