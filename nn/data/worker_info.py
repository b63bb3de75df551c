"""The identity of a worker process: number, seed and dataset."""

from dataclasses import dataclass
from typing import Any


@dataclass
class WorkerInfo:
    """Result of `get_worker_info` in a worker.

    Args:
        id: number of the worker, from 0.
        num_workers: how many there are.
        seed: what the worker's random numbers start from.
        dataset: the worker's copy of the dataset.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker process of a DataLoader: its number and its copy of the dataset; elsewhere None."""
    return _info


def set_worker_info(info: WorkerInfo) -> None:
    global _info
    _info = info
