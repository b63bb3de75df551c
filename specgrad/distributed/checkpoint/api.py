"""Where PyTorch keeps the error of checkpoints."""

from ...runtime.distributed.checkpoint.errors import CheckpointException

__all__ = ["CheckpointException"]
