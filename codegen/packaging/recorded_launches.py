"""Records what samples in all floats, and steps of optimizers with all options, launch on a simulated device."""

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, combinations, product
from typing import Any
from unittest.mock import patch

import numpy as np

import specgrad as sg
from specgrad.generated.registry import OPS
from specgrad.runtime.device.cuda import driver
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.kernels.cuda.signature import Signature, described
from specgrad.runtime.kernels.cuda_launch import multi_tensor, per_element, row_programs
from specgrad.runtime.ops.optim import cuda as optim
from specgrad.runtime.tensor import dtypes

from ..project.progress import Progress
from ..verify.calls.samples import Drawing, SampledArgument, sample_calls
from .array_kernels import Changes
from .elementwise_kernels import PACKAGE
from .known_kernels import FILE

STEP_ERRORS = (RuntimeError, NotImplementedError, ValueError, TypeError)
MOMENTUM = {"momentum": 0.9}
TIMES = 2  # the first step of some is another one


def steps(kinds: Sequence[np.dtype]) -> None:
    for kind in kinds:
        between(parameter(kind))
        for make in optimizers():
            for options in options_of(make):
                run_step(make, parameter(kind), options)


def optimizers() -> Iterator[Any]:
    for name in sg.nn.optim.__all__:
        value = getattr(sg.optim, name)
        if inspect.isclass(value) and value is not sg.optim.Optimizer:
            yield value


def options_of(make: Any) -> Iterator[dict[str, Any]]:
    arg = inspect.signature(make).parameters
    flags: list[dict[str, Any]] = [{name: True} for name, p in arg.items() if p.default is False or name == "fused"]
    flags += [MOMENTUM] if set(MOMENTUM) <= arg.keys() else []
    flags += [{"lr": None}] if "lr" in arg else []
    for chosen in chain.from_iterable(combinations(flags, count) for count in range(len(flags) + 1)):
        yield {name: value for each in chosen for name, value in each.items()}


def parameter(kind: np.dtype, device: str = "cuda") -> Any:
    result = sg.ones(3, device=device, dtype=getattr(sg, kind.name)).requires_grad_()
    result.grad = sg.ones_like(result).detach()
    return result


def run_step(make: Any, param: Any, options: dict[str, Any], device: str = "cuda") -> None:
    if "lr" in options:
        options = options | {"lr": sg.tensor(0.1, device=device)}
    with suppress(*STEP_ERRORS):
        optimizer = make([param], **options)
        for _ in range(TIMES):
            optimizer.step()


def between(param: Any) -> None:
    for order in (2.0, float("inf")):
        sg.nn.utils.clip_grad_norm_([param], 1.0, norm_type=order)
    sg.nn.utils.clip_grad_value_([param], 0.5)
    sg.optim.SGD([param], lr=0.1).zero_grad(set_to_none=False)


REFUSED = (RuntimeError, NotImplementedError, ValueError, IndexError, TypeError, KeyError)
SINGLE = {"f": np.dtype(np.float32), "c": np.dtype(np.complex64)}
FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16)]  # the first of those of 16 bits stands for both


class Recorder(SimulatedDriver):
    """A device that notes the kernels that it is given, where it was told how they are made."""

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[Any, str] = {}  # what makes a kernel, by the kernel
        self.lines: set[str] = set()
        self.loaded: list[tuple[Any, Signature]] = []

    def load(self, kernel: Any, signature: Signature, device: int) -> int:
        self.loaded.append((kernel, signature))
        if self.made.get(kernel):
            self.lines.add(f"{self.made[kernel]} {described(signature)}")
        return int(super().load(kernel, signature, device))

    def noting(self, make: Any, describe_key: Callable[..., str]) -> Any:
        def noted(*value: Any) -> Any:
            kernel = make(*value)
            self.made[kernel] = describe_key(*value)
            return kernel

        return noted


def label_of(maker: str) -> Callable[..., str]:
    def describe_key(function: Any, computed: np.dtype, *rest: Any) -> str:
        return f"{maker} {function.__module__.removeprefix(PACKAGE)}.{function.__name__} {computed.name}"

    return describe_key


def of_rows(module: str, name: str, thread_group: str, layout: str, computed: np.dtype, needs_int64: bool) -> str:
    program = module.rpartition(".cuda_")[2]
    return f"rows {program} {layout} {computed.name}" if name in ("held", "full") else ""


def record() -> int:
    with recording() as recorder, Progress(len(OPS), "ops") as progress:
        for op in OPS:
            for text, dtype in product((*sample_calls(op), *op.hard), (*FLOATS, SINGLE["c"])):
                run_as(op, text, dtype)
            progress.step()
        steps(FLOATS)
    FILE.write_text("".join(f"{line}\n" for line in sorted(recorder.lines)), encoding="utf-8")
    return len(recorder.lines)


@contextmanager
def recording() -> Iterator[Recorder]:
    recorder, changes = Recorder(), Changes()
    makers: list[tuple[Any, str, Callable[..., str]]] = [
        (per_element, "indexed_kernel", label_of("indexed")),
        (per_element, "source_kernel", label_of("element")),
        (row_programs, "row_kernel", of_rows),
        (multi_tensor, "changing", changes.of_groups),
        (multi_tensor, "counting", changes.of_counted),
        (multi_tensor, "folding", changes.of_fold),
    ]
    with ExitStack() as stack:
        stack.enter_context(patch.object(driver, "_chosen", [recorder]))
        stack.enter_context(patch.dict(os.environ, {"SPECGRAD_CUDA_FALLBACK": "silent"}))
        stack.enter_context(patch.object(optim, "change_of", changes.noting(optim.change_of)))
        for module, name, describe_key in makers:
            stack.enter_context(patch.object(module, name, recorder.noting(getattr(module, name), describe_key)))
        yield recorder


def run_as(op: Any, text: str, dtype: np.dtype) -> None:
    with suppress(*REFUSED):
        run(op, Drawing(op, text, dtype.kind == "c", dtypes).arguments(text), dtype)


def run(op: Any, arguments: dict[str, Any], dtype: np.dtype = SINGLE["f"]) -> None:
    named = {("input" if name == "self" else name): made(value, dtype) for name, value in arguments.items()}
    tensors = [t for value in named.values() for t in (value if isinstance(value, list) else [value])]
    on_device = [t for t in tensors if isinstance(t, sg.Tensor)]
    leaves = [t.requires_grad_() for t in on_device if t.dtype.is_floating_point or t.dtype.is_complex]
    match = op.function(**named)
    for result in (match,) if isinstance(match, sg.Tensor) else match:
        if isinstance(result, sg.Tensor) and result.requires_grad:
            sg.autograd.grad(result.abs().sum(), leaves, allow_unused=True, retain_graph=True)


def made(value: Any, dtype: np.dtype) -> Any:
    if isinstance(value, list):
        return [made(item, dtype) for item in value]
    if not isinstance(value, SampledArgument):
        return value
    requested = dtype if value.array.dtype.kind == dtype.kind else SINGLE.get(value.array.dtype.kind)
    on_device = sg.tensor(value.array, device="cuda")
    return on_device if requested is None else on_device.to(getattr(sg, requested.name))
