"""Graphs of cuDNN, through its frontend: described once, planned once for each thread and device, and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import warn_once
from ...tensor.devices import device as device_of
from .. import memory
from ..launching.rehearsals import beyond_launches
from .kept import CachedHandles
from .real_streams import stream_handle

PLANS = 512  # of a thread
DATA_TYPES = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT", "float64": "DOUBLE"}


class Plan(NamedTuple):
    """A graph that is ready to run, and the bytes of memory that it needs meanwhile."""

    graph: Any
    workspace: int


class _Here(threading.local):
    """The handles of a thread by device, and its plans; None stands for what cuDNN has refused."""

    def __init__(self) -> None:
        self.handles: dict[int, Any] = {}
        self.plans: CachedHandles[Plan | None] = CachedHandles(PLANS)


class Graphs:
    """What runs graphs.

    Args:
        cudnn: the frontend's module.
        driver: the driver in use, which makes the context of a stream's device the current one.
    """

    def __init__(self, cudnn: Any, driver: Any) -> None:
        self.cudnn, self.driver = cudnn, driver
        self.here = _Here()

    def run(
        self, key: Any, describe: Callable[[Any], Any], refused: list[Any], addresses: Sequence[int], stream: int
    ) -> bool:
        """Run the graph of a key, whose tensors are numbered from 1 on in the order of their addresses.

        Args:
            key: what graphs are kept by.
            describe: makes the graph for a handle.
            refused: numerical notes that a plan may not have.
            addresses: of the memory of each tensor.
            stream: where it runs.

        Returns:
            Whether cuDNN has a plan for it.
        """
        beyond_launches()
        device = self.driver.enter(stream)
        handle = self._handle(device)
        plan = self.here.plans.get((key, device), lambda: self._planned(describe(handle), refused))
        if plan is None:
            return False
        self.cudnn.set_stream(handle, stream_handle(stream))
        scratch = memory.empty((max(plan.workspace, 1),), np.dtype(np.uint8), device_of("cuda", device))
        plan.graph.execute(dict(enumerate(addresses, 1)), scratch.address, handle=handle)
        return True

    def _handle(self, device: int) -> Any:
        if device not in self.here.handles:
            self.here.handles[device] = self.cudnn.create_handle()
        return self.here.handles[device]

    def _planned(self, graph: Any, refused: list[Any]) -> Plan | None:
        """A plan for a graph; None where cuDNN has none."""
        try:
            graph.validate()
            graph.build_operation_graph()
            graph.create_execution_plans([self.cudnn.heur_mode.A, self.cudnn.heur_mode.FALLBACK])
            if refused:
                graph.deselect_numeric_notes(refused)
            graph.check_support()
            graph.build_plans()
        except self.cudnn.cudnnGraphNotSupportedError:
            return None
        except (RuntimeError, ValueError, ImportError) as error:  # the frontend may lack what some plans need
            warn_once(f"cuDNN failed to plan a call, which is computed by products of matrices: {error}")
            return None
        return Plan(graph, int(graph.get_workspace_size()))

    def data_type(self, dtype: np.dtype) -> Any:
        return getattr(self.cudnn.data_type, DATA_TYPES[dtype.name])
