"""PyTorch's `torch._dynamo.testing`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.compilers.compiling import CompileCounter as CompileCounter
