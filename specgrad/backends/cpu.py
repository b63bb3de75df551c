"""The processor that kernels are compiled for."""

from ..runtime.environment.config import get_cpu_capability

__all__ = ["get_cpu_capability"]
