"""Processes that run one function together, under PyTorch's name; the code is in specgrad.runtime.multiprocessing."""

from ..runtime.multiprocessing.errors import ProcessException, ProcessExitedException, ProcessRaisedException
from ..runtime.multiprocessing.spawn import ProcessContext, SpawnContext, spawn, start_processes

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]
