"""Stands for the package `cudnn`: graphs of one convolution, which a simulated device runs by the CPU's kernels.

It holds calls against the order in which cuDNN wants them, and tensors against the shapes that the operation gives.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from specgrad.runtime.cuda.libraries.simulated_memory import Operand
from specgrad.runtime.ops.conv import cpu
from tests.cuda.libraries.fake_nvmath import World

ORDER = ["validate", "build_operation_graph", "create_execution_plans", "check_support", "build_plans"]


class DataType(Enum):
    HALF = np.dtype(np.float16)
    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
    FLOAT = np.dtype(np.float32)
    DOUBLE = np.dtype(np.float64)


NumericalNote = IntEnum("NumericalNote", ["TENSOR_CORE", "DOWN_CONVERT_INPUTS", "NONDETERMINISTIC"])
HeurMode = IntEnum("HeurMode", ["A", "FALLBACK"])
NOTES = NumericalNote
# The plans of each convolution, the fastest first, and what is said of them.
PLANS = [
    ("winograd in half", {NOTES.DOWN_CONVERT_INPUTS, NOTES.TENSOR_CORE}),
    ("atomics", {NOTES.NONDETERMINISTIC, NOTES.TENSOR_CORE}),
    ("tensor cores", {NOTES.TENSOR_CORE}),
    ("plain", set[NumericalNote]()),
]


class NotSupported(Exception):
    """`cudnnGraphNotSupportedError`."""


class Tensor:
    """Attributes of a tensor of a graph; each is set by a method of its own, which gives the tensor."""

    def __init__(self, **attributes: Any) -> None:
        self.attributes = attributes

    def __getattr__(self, name: str) -> Any:
        part = name.removeprefix("set_")
        if part not in ("output", "uid", "data_type", "dim", "stride"):
            raise AttributeError(name)

        def put(value: Any) -> Tensor:
            self.attributes[part] = value
            return self

        return put


class Graph:
    """`cudnn.pygraph`.

    Args:
        module: the fake that it belongs to.
        types: of the graph.
    """

    def __init__(
        self, module: FakeCudnn, handle: Any, io_data_type: Any, intermediate_data_type: Any, compute_data_type: Any
    ) -> None:
        self.module, self.handle, self.computed = module, handle, compute_data_type
        self.done: list[str] = []
        self.inputs: dict[str, Tensor] = {}
        self.refused: set[NumericalNote] = set()
        module.graphs.append(self)

    def tensor(self, *, name: str, dim: list[int], stride: list[int], data_type: DataType, uid: int) -> Tensor:
        assert 4 <= len(dim) == len(stride) <= 5, "planes or volumes"
        return Tensor(name=name, dim=dim, stride=stride, data_type=data_type, uid=uid)

    def conv_fprop(self, *, image: Tensor, weight: Tensor, **sizes: Any) -> Tensor:
        return self.operation("conv_fprop", (image, weight), **sizes)

    def conv_dgrad(self, *, loss: Tensor, filter: Tensor, **sizes: Any) -> Tensor:
        return self.operation("conv_dgrad", (loss, filter), **sizes)

    def conv_wgrad(self, *, image: Tensor, loss: Tensor, **sizes: Any) -> Tensor:
        return self.operation("conv_wgrad", (image, loss), **sizes)

    def operation(
        self,
        kind: str,
        inputs: tuple[Tensor, Tensor],
        pre_padding: list[int],
        post_padding: list[int],
        stride: list[int],
        dilation: list[int],
    ) -> Tensor:
        self.kind, self.operands, self.results = kind, [*inputs, Tensor()], 1
        self.pads, self.stride, self.dilation = list(zip(pre_padding, post_padding, strict=True)), stride, dilation
        return self.operands[-1]

    def sdpa(
        self, *, q: Tensor, k: Tensor, v: Tensor, attn_scale: float, use_causal_mask: bool, generate_stats: bool
    ) -> tuple[Tensor, Tensor]:
        assert generate_stats
        self.kind, self.operands, self.results = "sdpa", [q, k, v, Tensor(), Tensor()], 2
        self.scale, self.is_causal = attn_scale, use_causal_mask
        return self.operands[3], self.operands[4]

    def step(self, name: str) -> None:
        assert ORDER[: len(self.done) + 1] == [*self.done, name]
        self.done.append(name)

    def validate(self) -> None:
        """All tensors are numbered, and results are said to be such."""
        self.step("validate")
        attributes = [tensor.attributes for tensor in self.operands]
        assert sorted(one["uid"] for one in attributes) == list(range(1, len(attributes) + 1))
        assert all(one["output"] for one in attributes[-self.results :])
        if self.module.failing:
            raise RuntimeError(self.module.failing)
        if self.kind.startswith("conv"):
            self.check_convolution(attributes)

    def check_convolution(self, attributes: list[dict[str, Any]]) -> None:
        """The shapes are those of a convolution, and dtypes are the same."""
        assert all(one["data_type"] is attributes[0]["data_type"] for one in attributes)
        places = {"conv_fprop": (0, 1, 2), "conv_dgrad": (2, 1, 0), "conv_wgrad": (0, 2, 1)}[self.kind]
        x, w, y = (attributes[place]["dim"] for place in places)
        self.x_shape, self.w_shape, self.y_shape = tuple(x), tuple(w), tuple(y)
        assert (y[0], y[1]) == (x[0], w[0]) and x[1] % w[1] == 0
        for n, k, p, (before, after), s, d in zip(
            x[2:], w[2:], y[2:], self.pads, self.stride, self.dilation, strict=True
        ):
            assert p == (n + before + after - (k - 1) * d - 1) // s + 1 and min(before, after) >= 0

    def build_operation_graph(self) -> None:
        self.step("build_operation_graph")

    def create_execution_plans(self, heuristics: list[HeurMode]) -> None:
        self.step("create_execution_plans")

    def deselect_numeric_notes(self, notes: list[NumericalNote]) -> None:
        assert self.done[-1] == "create_execution_plans"
        self.refused.update(notes)

    def check_support(self) -> None:
        self.step("check_support")
        if self.operands[0].attributes["data_type"] in self.module.refusing:
            raise NotSupported

    def build_plans(self) -> None:
        self.step("build_plans")
        self.plan = next(name for name, notes in PLANS if not notes & self.refused)

    def get_workspace_size(self) -> int:
        assert self.done == ORDER
        return 4 * prod(self.operands[1].attributes["dim"])

    def execute(self, tensors: dict[int, int], workspace: int, *, handle: int) -> None:
        world, found = self.module.world, [tensor.attributes for tensor in self.operands]
        stream = world.found(handle, "cudnn")["stream"]
        world.lend(workspace, self.get_workspace_size(), stream)
        given = [
            Operand(tensors[one["uid"]], one["data_type"].value, tuple(one["dim"]), tuple(one["stride"]))
            for one in found
        ]
        assert all(one.address % 16 == 0 for one in given)
        self.module.executed.append((self.kind, self.plan))

        count = len(given) - self.results

        def run(regions: Any) -> None:
            values = [one.read(region, self.kind) for one, region in zip(given[:count], regions, strict=False)]
            found = self.computes(*(value.astype(self.computed.value) for value in values))
            for one, region, value in zip(given[count:], regions[count:], found, strict=True):
                one.write(region, value)

        uses = [(one.address, one.nbytes, place >= count) for place, one in enumerate(given)]
        world.driver.call(self.kind, uses, run, stream)

    def computes(self, *values: np.ndarray) -> tuple[np.ndarray, ...]:
        if self.kind == "sdpa":
            return attended(*values, self.scale, self.is_causal)
        return (self.convolved(*values),)

    def convolved(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        rest = tuple(self.stride), tuple(sum(self.pads, ())), tuple(self.dilation), self.x_shape[1] // self.w_shape[1]
        a, b = (np.ascontiguousarray(x) for x in (a, b))
        if self.kind == "conv_fprop":
            return cpu.convolution(a, b, None, *rest)
        if self.kind == "conv_dgrad":
            return cpu.convolution_input_backward(a, b, self.x_shape, *rest)
        return cpu.convolution_weight_backward(b, a, self.w_shape, *rest)


def weights_of(q: Any, k: Any, scale: float, is_causal: bool) -> tuple[Any, Any]:
    """softmax(scale Q K^T) and log(sum(exp(scale Q K^T))) of each query, in float64."""
    scores = scale * np.einsum("bhif,bhjf->bhij", *(x.astype(np.float64) for x in (q, shared(k, q))))
    if is_causal:
        scores = np.where(np.tri(*scores.shape[2:], dtype=bool), scores, -np.inf)
    logarithms = np.log(np.exp(scores).sum(-1, keepdims=True))
    return np.exp(scores - logarithms), logarithms


def shared(k: Any, q: Any) -> Any:
    """Heads of keys or values, each repeated for the heads of queries that share it."""
    return np.repeat(k, q.shape[1] // k.shape[1], axis=1)


def attended(q: Any, k: Any, v: Any, scale: float, is_causal: bool) -> tuple[Any, Any]:
    weights, logarithms = weights_of(q, k, scale, is_causal)
    return weights @ shared(v, q), logarithms


class FakeCudnn:
    """The module.

    Args:
        world: the device, and its handles.
    """

    data_type, numerical_note, heur_mode, cudnnGraphNotSupportedError = DataType, NumericalNote, HeurMode, NotSupported

    def __init__(self, world: World) -> None:
        self.world = world
        self.graphs: list[Graph] = []
        self.executed: list[tuple[str, str]] = []
        self.refusing: set[DataType] = set()
        self.failing = ""

    def backend_version(self) -> int:
        if self.failing:
            raise RuntimeError(self.failing)
        return 91002

    def pygraph(self, **keywords: Any) -> Graph:
        return Graph(self, **keywords)

    def create_handle(self) -> int:
        return self.world.new("cudnn")

    def set_stream(self, handle: int, stream: int) -> None:
        found = self.world.found(handle, "cudnn")
        found["stream"] = stream or found["device"]
