"""Grids of processes under PyTorch's name: there are none. The code is in specgrad.runtime.pytorch.environment."""

from ..runtime.pytorch.environment.distributed_tensors import DeviceMesh
from ..runtime.pytorch.environment.process_groups import absent as init_device_mesh

__all__ = ["DeviceMesh", "init_device_mesh"]
