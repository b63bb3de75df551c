"""PyTorch's `torch._inductor.exc`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.compilers.compiler_errors import CppCompileError as CppCompileError
from specgrad.runtime.pytorch.compilers.compiler_errors import InductorError as InductorError
