"""The processor that kernels are compiled for."""

from ..runtime.pytorch.environment.config import get_cpu_capability

__all__ = ["get_cpu_capability"]
