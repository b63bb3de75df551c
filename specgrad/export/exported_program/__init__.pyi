"""PyTorch's `torch.export.exported_program`, by names: written from `torch_names.py`."""

from specgrad.nn.export.program import ExportedProgram as ExportedProgram
from specgrad.nn.export.program import ModuleCallEntry as ModuleCallEntry
from specgrad.nn.export.program import ModuleCallSignature as ModuleCallSignature
