"""Where PyTorch keeps the class of compiled modules."""

from ..runtime.pytorch.compilers.compiling import OptimizedModule, is_compile_supported

is_dynamo_supported = is_compile_supported

__all__ = ["OptimizedModule", "is_dynamo_supported"]
