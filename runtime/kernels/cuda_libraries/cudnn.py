"""Convolutions and attention by graphs of cuDNN: each of one operation, and of the bias that a convolution adds;
described once, planned once for each thread and device, and kept."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...device.cuda.dry_run import beyond_launches
from ...device.device import device as device_of
from ...errors import warn_once
from ..cuda_launch import arrays
from .cudnn_protocol import Attention, AttentionGradients, Convolution, Ints, Layout, channels_last_strides, row_strides
from .handles import CachedHandles, stream_handle

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
    """What runs graphs, by the frontend's module; the driver makes the context of a stream's device the current one."""

    def __init__(self, cudnn: Any, driver: Any) -> None:
        self.cudnn, self.driver = cudnn, driver
        self.here = _Here()

    def run(
        self, key: Any, describe: Callable[[Any], Any], refused: list[Any], addresses: Sequence[int], stream: int
    ) -> bool:
        """Run the graph of a key, made by `describe` for a handle, whose tensors are numbered from 1 on in the order of
        their addresses; whether cuDNN has a plan for it without the `refused` numerical notes."""
        beyond_launches()
        device = self.driver.enter(stream)
        handle = self._handle(device)
        plan = self.here.plans.get((key, device), lambda: self._planned(describe(handle), refused))
        if plan is None:
            return False
        self.cudnn.set_stream(handle, stream_handle(stream))
        scratch = arrays.empty((max(plan.workspace, 1),), np.dtype(np.uint8), device_of("cuda", device))
        plan.graph.execute(dict(enumerate(addresses, 1)), scratch.address, handle=handle)
        return True

    def _handle(self, device: int) -> Any:
        if device not in self.here.handles:
            self.here.handles[device] = self.cudnn.create_handle()
        return self.here.handles[device]

    def _planned(self, graph: Any, refused: list[Any]) -> Plan | None:
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


FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Cudnn(Graphs):
    def convolve(self, value: Convolution, operands: Ints, output: int, stream: int) -> bool:
        return self._convolve("fprop", value, (*operands, output), stream)

    def convolve_input_gradient(self, value: Convolution, operands: Ints, result: int, stream: int) -> bool:
        return self._convolve("dgrad", value, (*operands, result), stream)

    def convolve_weight_gradient(self, value: Convolution, operands: Ints, result: int, stream: int) -> bool:
        return self._convolve("wgrad", value, (*operands, result), stream)

    def _convolve(self, kind: str, value: Convolution, addresses: Ints, stream: int) -> bool:
        if value.stored.name not in DATA_TYPES:
            return False
        names, (*shapes, result) = tensors_of(kind, value)
        layouts = [channels_last_layout(*each) for each in zip(shapes, (*value.channels_last, False), strict=False)]
        inputs = {name: layout for name, layout, _ in zip(names, layouts, addresses[:-1], strict=False)}

        def describe(handle: Any) -> Any:
            return self._convolution(kind, value, inputs, in_rows(result), handle)

        return self.run((kind, len(inputs), value), describe, self._refused(value), addresses, stream)

    def _graph(self, stored: np.dtype, handle: Any) -> Any:
        computed = self.data_type(FLOAT64 if stored == FLOAT64 else FLOAT32)
        own = self.data_type(stored)
        types = {"io_data_type": own, "intermediate_data_type": computed, "compute_data_type": computed}
        return self.cudnn.pygraph(handle=handle, **types)

    def _convolution(
        self, kind: str, value: Convolution, inputs: Mapping[str, Layout], output: Layout, handle: Any
    ) -> Any:
        graph, spatial = self._graph(value.stored, handle), value.spatial
        operands = self._inputs(graph, inputs, value.stored)
        bias = operands.pop("bias", None)
        result = getattr(graph, f"conv_{kind}")(
            **operands,
            pre_padding=list(value.pads[spatial]),
            post_padding=list(value.pads_after[spatial]),
            stride=list(value.stride[spatial]),
            dilation=list(value.dilation[spatial]),
        )
        if bias is not None:
            result = graph.bias(input=result, bias=bias)
        self._finish([result], [output], len(inputs) + 1, value.stored)
        return graph

    def _refused(self, value: Convolution) -> list[Any]:
        notes, result = self.cudnn.numerical_note, []
        if value.stored.name == "float32":
            result.append(notes.DOWN_CONVERT_INPUTS)
            if not value.tf32:
                result.append(notes.TENSOR_CORE)
        if value.deterministic:
            result.append(notes.NONDETERMINISTIC)
        return result

    def attend(self, value: Attention, operands: Ints, results: Ints, stream: int) -> bool:
        def describe(handle: Any) -> Any:
            graph = self._graph(value.stored, handle)
            inputs = self._inputs(graph, {"q": value.query, "k": value.key, "v": value.value}, value.stored)
            output, stats = graph.sdpa(**inputs, **scores(value), generate_stats=True)
            self._finish([output], [value.output], 4, value.stored)
            self._finish([stats], [logarithms_of(value)], 5, FLOAT32)
            return graph

        return self.run(("attention", value), describe, [], (*operands, *results), stream)

    def attend_gradients(self, value: AttentionGradients, operands: Ints, results: Ints, stream: int) -> bool:
        def describe(handle: Any) -> Any:
            own = value.forward
            graph = self._graph(own.stored, handle)
            halves = {"q": own.query, "k": own.key, "v": own.value, "o": own.output, "dO": value.above}
            inputs = self._inputs(graph, halves, own.stored)
            inputs |= self._inputs(graph, {"stats": logarithms_of(own)}, FLOAT32, len(halves) + 1)
            result = graph.sdpa_backward(**inputs, **scores(own), use_deterministic_algorithm=value.deterministic)
            self._finish(result, value.results, len(inputs) + 1, own.stored)
            return graph

        return self.run(("attention's gradients", value), describe, [], (*operands, *results), stream)

    def _inputs(self, graph: Any, layouts: Mapping[str, Layout], kind: np.dtype, first: int = 1) -> dict[str, Any]:
        return {
            name: graph.tensor(
                name=name,
                dim=list(layout.shape),
                stride=list(layout.strides),
                data_type=self.data_type(kind),
                uid=uid,
            )
            for uid, (name, layout) in enumerate(layouts.items(), first)
        }

    def _finish(self, results: Any, layouts: Any, first: int, kind: np.dtype) -> None:
        for uid, (result, layout) in enumerate(zip(results, layouts, strict=True), first):
            result.set_output(True).set_uid(uid).set_data_type(self.data_type(kind))
            result.set_dim(list(layout.shape)).set_stride(list(layout.strides))


def scores(value: Attention) -> dict[str, Any]:
    return {"attn_scale": value.scale, "use_causal_mask": value.is_causal}


def logarithms_of(value: Attention) -> Layout:
    return in_rows((*value.query.shape[:3], 1))


def in_rows(shape: Ints) -> Layout:
    return Layout(shape, row_strides(shape))


def channels_last_layout(shape: Ints, channels_last: bool) -> Layout:
    return Layout(shape, channels_last_strides(shape)) if channels_last else in_rows(shape)


def tensors_of(kind: str, value: Convolution) -> tuple[tuple[str, ...], tuple[Ints, ...]]:
    x, w, y = value.input_shape, value.weight_shape, value.output_shape
    return {
        "fprop": (("image", "weight", "bias"), (x, w, value.bias_shape, y)),
        "dgrad": (("loss", "filter"), (y, w, x)),
        "wgrad": (("image", "loss"), (x, y, w)),
    }[kind]
