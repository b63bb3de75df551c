"""PyTorch's `torch._dynamo.exc`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.compilers.compiler_errors import BackendCompilerFailed as BackendCompilerFailed
from specgrad.runtime.pytorch.compilers.compiler_errors import TorchDynamoException as TorchDynamoException
from specgrad.runtime.pytorch.compilers.compiler_errors import Unsupported as Unsupported
