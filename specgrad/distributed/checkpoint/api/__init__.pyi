"""PyTorch's `torch.distributed.checkpoint.api`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.checkpoint.errors import CheckpointException as CheckpointException
