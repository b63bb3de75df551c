"""Checkpoints as single files, under PyTorch's name."""

from ...runtime.distributed.checkpoint.whole import dcp_to_torch_save, torch_save_to_dcp

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]
