"""What libraries ask PyTorch's compiler about itself."""

from ..runtime.pytorch.compilers.compiling import is_compile_supported

__all__ = ["is_compile_supported"]
