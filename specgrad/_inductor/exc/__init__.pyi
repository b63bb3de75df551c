"""PyTorch's `torch._inductor.exc`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.compile import CppCompileError as CppCompileError
from specgrad.runtime.extensions.torch_compat.compile import InductorError as InductorError
