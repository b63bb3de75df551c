"""Convolutions by cuDNN, through its frontend: a graph of one operation each, whose plans are kept."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from ...tensor.devices import device as device_of
from ...user_warning import warn_once
from .. import memory
from .convolutions import Convolution, Ints, row_strides
from .kept import Kept
from .real_streams import stream_handle

PLANS = 512  # of a thread
FIRST, SECOND, RESULT = 1, 2, 3  # the tensors of each graph
DATA_TYPES = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT", "float64": "DOUBLE"}


class Plan(NamedTuple):
    """A graph that is ready to run, and the bytes of memory that it needs meanwhile."""

    graph: Any
    workspace: int


class _Here(threading.local):
    """The handles of a thread by device, and its plans; None stands for what cuDNN has refused."""

    def __init__(self) -> None:
        self.handles: dict[int, Any] = {}
        self.plans: Kept[Plan | None] = Kept(PLANS)


class Cudnn:
    """Convolutions that call cuDNN. See `Convolutions`.

    Args:
        cudnn: the frontend's module.
        driver: the driver in use, which makes the context of a stream's device the current one.
    """

    def __init__(self, cudnn: Any, driver: Any) -> None:
        self.cudnn, self.driver = cudnn, driver
        self.here = _Here()

    def convolve(self, given: Convolution, input: int, weight: int, output: int, stream: int) -> bool:
        return self._run("fprop", given, (input, weight, output), stream)

    def convolve_input_gradient(self, given: Convolution, grad: int, weight: int, result: int, stream: int) -> bool:
        return self._run("dgrad", given, (grad, weight, result), stream)

    def convolve_weight_gradient(self, given: Convolution, input: int, grad: int, result: int, stream: int) -> bool:
        return self._run("wgrad", given, (input, grad, result), stream)

    def _run(self, kind: str, given: Convolution, addresses: tuple[int, int, int], stream: int) -> bool:
        if given.stored.name not in DATA_TYPES:
            return False
        device = self.driver.enter(stream)
        handle = self._handle(device)
        plan = self.here.plans.get((kind, given, device), lambda: self._planned(kind, given, handle))
        if plan is None:
            return False
        self.cudnn.set_stream(handle, stream_handle(stream))
        scratch = memory.empty((max(plan.workspace, 1),), np.dtype(np.uint8), device_of("cuda", device))
        tensors = dict(zip((FIRST, SECOND, RESULT), addresses, strict=True))
        plan.graph.execute(tensors, scratch.address, handle=handle)
        return True

    def _handle(self, device: int) -> Any:
        if device not in self.here.handles:
            self.here.handles[device] = self.cudnn.create_handle()
        return self.here.handles[device]

    def _planned(self, kind: str, given: Convolution, handle: Any) -> Plan | None:
        """A plan for a convolution; None where cuDNN has none."""
        graph = self._described(kind, given, handle)
        try:
            graph.validate()
            graph.build_operation_graph()
            graph.create_execution_plans([self.cudnn.heur_mode.A, self.cudnn.heur_mode.FALLBACK])
            if refused := self._refused(given):
                graph.deselect_numeric_notes(refused)
            graph.check_support()
            graph.build_plans()
        except self.cudnn.cudnnGraphNotSupportedError:
            return None
        except RuntimeError as error:
            warn_once(f"cuDNN cannot compute a convolution, which is computed by products of matrices: {error}")
            return None
        return Plan(graph, int(graph.get_workspace_size()))

    def _described(self, kind: str, given: Convolution, handle: Any) -> Any:
        """The graph of one operation."""
        own = getattr(self.cudnn.data_type, DATA_TYPES[given.stored.name])
        computed = self.cudnn.data_type.DOUBLE if given.stored.itemsize == 8 else self.cudnn.data_type.FLOAT
        types = {"io_data_type": own, "intermediate_data_type": computed, "compute_data_type": computed}
        graph = self.cudnn.pygraph(handle=handle, **types)
        names, shapes = operands(kind, given)
        first, second = (
            graph.tensor(name=name, dim=list(shape), stride=list(row_strides(shape)), data_type=own, uid=uid)
            for name, shape, uid in zip(names, shapes[:2], (FIRST, SECOND), strict=True)
        )
        spatial = given.spatial
        result = getattr(graph, f"conv_{kind}")(
            **{names[0]: first, names[1]: second},
            pre_padding=list(given.pads[spatial]),
            post_padding=list(given.pads_after[spatial]),
            stride=list(given.stride[spatial]),
            dilation=list(given.dilation[spatial]),
        )
        result.set_output(True).set_uid(RESULT).set_data_type(own)
        result.set_dim(list(shapes[2])).set_stride(list(row_strides(shapes[2])))
        return graph

    def _refused(self, given: Convolution) -> list[Any]:
        """What no plan may do: round float32 where that was not allowed, or add up in any order."""
        notes, found = self.cudnn.numerical_note, []
        if given.stored.name == "float32":
            found.append(notes.DOWN_CONVERT_INPUTS)
            if not given.tf32:
                found.append(notes.TENSOR_CORE)
        if given.deterministic:
            found.append(notes.NONDETERMINISTIC)
        return found


def operands(kind: str, given: Convolution) -> tuple[tuple[str, str], tuple[Ints, Ints, Ints]]:
    """What the operation calls its operands, and the shapes of these and of the result."""
    x, w, y = given.input_shape, given.weight_shape, given.output_shape
    return {
        "fprop": (("image", "weight"), (x, w, y)),
        "dgrad": (("loss", "filter"), (y, w, x)),
        "wgrad": (("image", "loss"), (x, y, w)),
    }[kind]
