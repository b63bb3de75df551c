"""PyTorch's `torch._dynamo.testing`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.compile import CompileCounter as CompileCounter
