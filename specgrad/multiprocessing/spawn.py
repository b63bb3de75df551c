"""Processes that run one function, under PyTorch's name; code: specgrad.runtime.sharing.multiprocessing."""

from ..runtime.sharing.multiprocessing.errors import ProcessException, ProcessExitedException, ProcessRaisedException
from ..runtime.sharing.multiprocessing.spawn import ProcessContext, SpawnContext, spawn, start_processes

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]
