"""Stands for the package `cudnn`: graphs of one operation, which a simulated device runs.

It holds calls against what nvidia-cudnn-frontend says of each function (`cudnn_record.txt`) and against the order in
which cuDNN wants them, and tensors against the shapes that the operation gives.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.device.cuda.driver import driver
from specgrad.runtime.extensions.simulator.libraries import Operand
from specgrad.runtime.kernels.cuda_libraries import libraries
from specgrad.runtime.kernels.cuda_libraries.cudnn import Cudnn
from specgrad.runtime.ops.conv import cpu
from tests.kernels.cuda_libraries.cudnn_record import enumeration, hold
from tests.kernels.cuda_libraries.fake_cublaslt import FakeCublasLt
from tests.kernels.cuda_libraries.fake_nvmath import World, installed
from tests.places import simulated_device

ORDER = ["validate", "build_operation_graph", "create_execution_plans", "check_support", "build_plans"]


DataType, NumericalNote, HeurMode = map(enumeration, ("data_type", "numerical_note", "heur_mode"))
FORMATS = {
    DataType["HALF"]: np.dtype(np.float16),
    DataType["BFLOAT16"]: np.dtype(ml_dtypes.bfloat16),
    DataType["FLOAT"]: np.dtype(np.float32),
    DataType["DOUBLE"]: np.dtype(np.float64),
}
# The plans of each operation, the fastest first, and what is said of them.
PLANS = [
    ("winograd in half", {"DOWN_CONVERT_INPUTS", "TENSOR_CORE"}),
    ("atomics", {"NONDETERMINISTIC", "TENSOR_CORE"}),
    ("tensor cores", {"TENSOR_CORE"}),
    ("plain", set[str]()),
]
Method = TypeVar("Method", bound=Callable[..., Any])


class NotSupported(Exception):
    """`cudnnGraphNotSupportedError`."""


class Handle(int):
    """`cudnn.Handle`."""


def held(method: Method) -> Method:
    """A method of the package's, which takes what the record says."""

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        hold(method.__name__, arguments, keywords)
        return method(self, *arguments, **keywords)

    return call  # type: ignore[return-value]


class Tensor:
    """Attributes of a tensor of a graph; each is set by a method of its own, which gives the tensor."""

    def __init__(self, **attributes: Any) -> None:
        self.attributes = attributes

    def __getattr__(self, name: str) -> Any:
        part = name.removeprefix("set_")
        if part not in ("output", "uid", "data_type", "dim", "stride"):
            raise AttributeError(name)

        def put(value: Any) -> Tensor:
            hold(name, (value,), {})
            self.attributes[part] = value
            return self

        return put


class Graph:
    """`cudnn.pygraph`.

    Args:
        module: the fake that it belongs to.
        types: of the graph.
    """

    def __init__(self, module: FakeCudnn, handle: Handle, compute_data_type: Any, **types: Any) -> None:
        self.module, self.handle, self.computed = module, handle, FORMATS[compute_data_type]
        self.types = types
        self.done: list[str] = []
        self.refused: set[str] = set()
        module.graphs.append(self)

    @held
    def tensor(self, *, name: str, dim: list[int], stride: list[int], data_type: Any, uid: int) -> Tensor:
        assert 4 <= len(dim) == len(stride) <= 5, "planes or volumes"
        return Tensor(name=name, dim=dim, stride=stride, data_type=data_type, uid=uid)

    @held
    def conv_fprop(self, *, image: Tensor, weight: Tensor, **sizes: Any) -> Tensor:
        return self.convolution("conv_fprop", (image, weight), **sizes)

    @held
    def conv_dgrad(self, *, loss: Tensor, filter: Tensor, **sizes: Any) -> Tensor:
        return self.convolution("conv_dgrad", (loss, filter), **sizes)

    @held
    def conv_wgrad(self, *, image: Tensor, loss: Tensor, **sizes: Any) -> Tensor:
        return self.convolution("conv_wgrad", (image, loss), **sizes)

    def convolution(
        self,
        kind: str,
        inputs: tuple[Tensor, Tensor],
        pre_padding: list[int],
        post_padding: list[int],
        stride: list[int],
        dilation: list[int],
    ) -> Tensor:
        self.pads, self.stride, self.dilation = list(zip(pre_padding, post_padding, strict=True)), stride, dilation
        return self.operation(kind, inputs, 1)[0]

    def operation(self, kind: str, inputs: tuple[Tensor, ...], results: int) -> list[Tensor]:
        self.kind, self.inputs, self.results = kind, inputs, [Tensor() for _ in range(results)]
        return self.results

    @held
    def bias(self, *, input: Tensor, bias: Tensor) -> Tensor:
        assert self.kind == "conv_fprop" and input is self.results[0] and not input.attributes, "a result that stays"
        return self.operation("conv_fprop, bias", (*self.inputs, bias), 1)[0]

    @held
    def sdpa(
        self, *, q: Tensor, k: Tensor, v: Tensor, attn_scale: float, use_causal_mask: bool, generate_stats: bool
    ) -> list[Tensor]:
        assert generate_stats
        self.scale, self.is_causal = attn_scale, use_causal_mask
        return self.operation("sdpa", (q, k, v), 2)

    @held
    def sdpa_backward(
        self, *, attn_scale: float, use_causal_mask: bool, use_deterministic_algorithm: bool, **inputs: Tensor
    ) -> list[Tensor]:
        self.scale, self.is_causal = attn_scale, use_causal_mask
        kind = "sdpa_backward" + ", deterministic" * use_deterministic_algorithm
        return self.operation(kind, tuple(inputs[name] for name in ("q", "k", "v", "o", "dO", "stats")), 3)

    @property
    def attributes(self) -> list[dict[str, Any]]:
        """Those of all tensors, results last."""
        return [tensor.attributes for tensor in (*self.inputs, *self.results)]

    def step(self, name: str) -> None:
        assert ORDER[: len(self.done) + 1] == [*self.done, name]
        self.done.append(name)

    @held
    def validate(self) -> None:
        """All tensors are numbered, and results are said to be such."""
        self.step("validate")
        attributes = self.attributes
        assert [one["uid"] for one in attributes] == list(range(1, len(attributes) + 1))
        assert all(one["output"] for one in attributes[len(self.inputs) :])
        if self.module.failing:
            raise RuntimeError(self.module.failing)
        (self.check_convolution if self.kind.startswith("conv") else self.check_attention)()

    def check_convolution(self) -> None:
        """The shapes are those of a convolution, and dtypes are the same."""
        attributes = self.attributes
        assert all(one["data_type"] is attributes[0]["data_type"] for one in attributes)
        positions = {"conv_dgrad": (2, 1, 0), "conv_wgrad": (0, 2, 1)}.get(self.kind, (0, 1, -1))
        x, w, y = (attributes[target_device]["dim"] for target_device in positions)
        self.x_shape, self.w_shape, self.y_shape = tuple(x), tuple(w), tuple(y)
        assert (y[0], y[1]) == (x[0], w[0]) and x[1] % w[1] == 0
        assert len(attributes) == 3 or attributes[2]["dim"] == [1, w[0], *(1 for _ in w[2:])]
        for n, k, p, (before, after), s, d in zip(
            x[2:], w[2:], y[2:], self.pads, self.stride, self.dilation, strict=True
        ):
            assert p == (n + before + after - (k - 1) * d - 1) // s + 1 and min(before, after) >= 0

    def check_attention(self) -> None:
        """The shapes are those of an attention; logarithms are float32, all else is in 16 bits, rows side by side."""
        q, k, v, *rest = self.attributes
        b, h, queries, _ = q["dim"]
        output, logarithms = [b, h, queries, v["dim"][3]], [b, h, queries, 1]
        shapes = [output, logarithms] if self.kind == "sdpa" else [output, output, logarithms, q, k, v]
        assert [one["dim"] for one in rest] == [one["dim"] if isinstance(one, dict) else one for one in shapes]
        assert k["dim"][:3] == v["dim"][:3] and (b, q["dim"][3]) == (k["dim"][0], k["dim"][3]) and not h % k["dim"][1]
        for one in self.attributes:
            kind = "FLOAT" if one["dim"] == logarithms and one is rest[1 if self.kind == "sdpa" else 2] else None
            assert one["data_type"] is (q["data_type"] if kind is None else DataType[kind])
            assert one["stride"][3] == 1 and all(one["stride"])
        assert q["data_type"].name in ("HALF", "BFLOAT16")

    @held
    def build_operation_graph(self) -> None:
        self.step("build_operation_graph")

    @held
    def create_execution_plans(self, heuristics: list[Any]) -> None:
        self.step("create_execution_plans")

    @held
    def deselect_numeric_notes(self, notes: list[Any]) -> None:
        assert self.done[-1] == "create_execution_plans"
        self.refused.update(note.name for note in notes)

    @held
    def check_support(self) -> None:
        self.step("check_support")
        if self.module.refusing & {self.attributes[0]["data_type"].name, self.kind}:
            raise NotSupported

    @held
    def build_plans(self) -> None:
        self.step("build_plans")
        self.plan = next(name for name, notes in PLANS if not notes & self.refused)

    @held
    def get_workspace_size(self) -> int:
        assert self.done == ORDER
        return 4 * prod(self.attributes[1]["dim"])

    @held
    def execute(self, tensors: dict[int, int], workspace: int, *, handle: Handle) -> None:
        world, count = self.module.world, len(self.inputs)
        stream = world.found(handle, "cudnn")["stream"]
        world.lend(workspace, self.get_workspace_size(), stream)
        given = [
            Operand(tensors[one["uid"]], FORMATS[one["data_type"]], tuple(one["dim"]), tuple(one["stride"]))
            for one in self.attributes
        ]
        assert all(one.address % 16 == 0 for one in given)
        self.module.executed.append((self.kind, self.plan))

        def run(regions: Any) -> None:
            values = [one.read(region, self.kind) for one, region in zip(given[:count], regions, strict=False)]
            found = self.computes(*(value.astype(self.computed) for value in values))
            for one, region, value in zip(given[count:], regions[count:], found, strict=True):
                one.write(region, value)

        uses = [(one.address, one.nbytes, target_device >= count) for target_device, one in enumerate(given)]
        world.driver.call(self.kind, uses, run, stream)

    def computes(self, *values: np.ndarray) -> tuple[np.ndarray, ...]:
        if self.kind == "sdpa":
            return attended(*values, self.scale, self.is_causal)
        if self.kind.startswith("sdpa_backward"):
            return attention_slopes(*values, self.scale, self.is_causal)
        found = self.convolved(*values[:2])
        return (sum(values[2:], start=found),)

    def convolved(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        rest = tuple(self.stride), tuple(sum(self.pads, ())), tuple(self.dilation), self.x_shape[1] // self.w_shape[1]
        a, b = (np.ascontiguousarray(x) for x in (a, b))
        if self.kind == "conv_dgrad":
            return cpu.convolution_input_backward(a, b, self.x_shape, *rest)
        if self.kind == "conv_wgrad":
            return cpu.convolution_weight_backward(b, a, self.w_shape, *rest)
        return cpu.convolution(a, b, None, *rest)


def scores_of(q: Any, k: Any, scale: float, is_causal: bool) -> Any:
    """scale Q K^T in float64, -inf where a query may not look."""
    scores = scale * np.einsum("bhif,bhjf->bhij", *(x.astype(np.float64) for x in (q, shared(k, q))))
    return np.where(np.tri(*scores.shape[2:], dtype=bool), scores, -np.inf) if is_causal else scores


def shared(k: Any, q: Any) -> Any:
    """Heads of keys or values, each repeated for the heads of queries that share it."""
    return np.repeat(k, q.shape[1] // k.shape[1], axis=1)


def summed(found: Any, k: Any) -> Any:
    """What heads of queries give the heads of keys or values that they share."""
    return found.reshape(k.shape[0], k.shape[1], -1, *k.shape[2:]).sum(2)


def attended(q: Any, k: Any, v: Any, scale: float, is_causal: bool) -> tuple[Any, Any]:
    scores = scores_of(q, k, scale, is_causal)
    logarithms = np.log(np.exp(scores).sum(-1, keepdims=True))
    return np.exp(scores - logarithms) @ shared(v, q), logarithms


def attention_slopes(
    q: Any, k: Any, v: Any, output: Any, above: Any, logarithms: Any, scale: float, is_causal: bool
) -> tuple[Any, Any, Any]:
    """From what was kept, as cuDNN computes them: the weights by the logarithms, a row's mean slope by the output."""
    weights = np.exp(scores_of(q, k, scale, is_causal) - logarithms)
    derivatives = weights * (above @ shared(v, q).swapaxes(2, 3) - (above * output).sum(-1, keepdims=True)) * scale
    return (
        derivatives @ shared(k, q),
        summed(derivatives.swapaxes(2, 3) @ q, k),
        summed(weights.swapaxes(2, 3) @ above, v),
    )


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
        self.refusing: set[str] = set()  # kinds of operations, and dtypes
        self.failing = ""

    @held
    def backend_version(self) -> int:
        if self.failing:
            raise RuntimeError(self.failing)
        return 91002

    def pygraph(self, **keywords: Any) -> Graph:
        hold("__init__", (), keywords)
        return Graph(self, **keywords)

    @held
    def create_handle(self) -> Handle:
        return Handle(self.world.new("cudnn"))

    @held
    def set_stream(self, handle: Handle, stream: int) -> None:
        found = self.world.found(handle, "cudnn")
        found["stream"] = stream or found["device"]


@contextmanager
def with_cudnn() -> Iterator[FakeCudnn]:
    """A simulated device with cuDNN."""
    with simulated_device(), installed(driver(), FakeCublasLt) as world, pytest.MonkeyPatch.context() as patch:
        fake = FakeCudnn(world)
        patch.setitem(sys.modules, "cudnn", fake)
        patch.setitem(libraries._cudnn, driver(), Cudnn(fake, world))
        yield fake
