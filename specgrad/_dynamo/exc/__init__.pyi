"""PyTorch's `torch._dynamo.exc`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.compile import BackendCompilerFailed as BackendCompilerFailed
from specgrad.runtime.extensions.torch_compat.compile import TorchDynamoException as TorchDynamoException
from specgrad.runtime.extensions.torch_compat.compile import Unsupported as Unsupported
