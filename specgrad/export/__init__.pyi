"""PyTorch's `torch.export`, by names: written from `torch_names.py`."""

from specgrad.nn.export.dynamic_shapes import Dim as Dim
from specgrad.nn.export.dynamic_shapes import dims as dims
from specgrad.nn.export.export import export as export
from specgrad.nn.export.export import load as load
from specgrad.nn.export.export import save as save
from specgrad.nn.export.program import ExportedProgram as ExportedProgram
from specgrad.nn.export.program import ModuleCallEntry as ModuleCallEntry
from specgrad.nn.export.program import ModuleCallSignature as ModuleCallSignature
from specgrad.nn.export.signatures import ExportGraphSignature as ExportGraphSignature
from specgrad.runtime.extensions.pytree.registry import register_dataclass as register_dataclass

from . import dynamic_shapes as dynamic_shapes
from . import exported_program as exported_program
from . import graph_signature as graph_signature
