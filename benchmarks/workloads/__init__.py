"""Workloads, written once against the API that specgrad and PyTorch share: a module for each group.

A workload is a function of the library that prepares its inputs and returns the function to time.
"""

from . import layer, memory, model, overhead
from .registering import GROUPS

WORKLOADS = {name: make for group in GROUPS.values() for name, make in group.items()}

__all__ = ["GROUPS", "WORKLOADS", "layer", "memory", "model", "overhead"]
