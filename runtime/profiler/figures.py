"""The figures that single events and averages have in common."""

from __future__ import annotations

from .units import time_text


class Figures:
    """Times and memory; what concerns other devices is there for scripts that read it, and zero."""

    key: str
    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    flops: int
    device_type = "cpu"
    node_id = -1
    is_async = is_remote = is_legacy = False
    device_time = device_time_total = self_device_time_total = 0.0
    cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    device_memory_usage = self_device_memory_usage = cuda_memory_usage = self_cuda_memory_usage = 0

    @property
    def cpu_time(self) -> float:
        """Microseconds of one call, with what ran inside it."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time`, written out."""
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """`cpu_time_total`, written out."""
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total`, written out."""
        return time_text(self.self_cpu_time_total)
