"""What runs under a profiler is what runs without: the same launches, kernels, results, and other watchers."""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad import nn
from specgrad.profiler import ProfilerActivity, profile
from specgrad.runtime.fast_path import surround_launches
from specgrad.runtime.native.registration import supported
from specgrad.utils.flop_counter import FlopCounterMode
from tests.extensions.profiler.programs import by_name, profiled

native = pytest.mark.skipif(not supported(), reason="without native code there are no fast functions")


def network() -> nn.Sequential:
    layers = nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 5)
    return nn.Sequential(*layers)


def training_step(model: nn.Module, classes: int = 5) -> Callable[[], sg.Tensor]:
    optimizer = sg.optim.AdamW(model.parameters())
    x, labels = sg.randn(4, 2, 8, 8), sg.randint(0, classes, (4,))

    def step() -> sg.Tensor:
        loss = nn.functional.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


@native
def test_each_launch_is_an_event() -> None:
    """A forward pass without a profiler launches as many kernels, of the same ops, as there are innermost events."""
    model, x = network(), sg.randn(4, 2, 8, 8)
    launched: list[str] = []

    def counting(op: Any, _: str, launch: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            result = launch(*args)
            if result is not None:
                launched.append(op.name)
            return result

        return counted

    model(x), model(x)  # the first call makes the plans
    surround_launches(counting)
    try:
        model(x)
    finally:
        surround_launches(None)
    events = profiled(lambda: model(x)).events()
    names = [event.name.removeprefix("aten::") for event in events if not event.cpu_children]
    assert launched == ["convolution", "standardize", "relu", "max_pool_with_indices", "view", "linear"]
    assert names == ["convolution", "batch_norm", "relu", "max_pool2d", "view", "linear"]


def test_kernels_have_the_names_of_the_functions_that_were_called() -> None:
    """In training and in evaluation: no name of an op that programs cannot call."""
    x = sg.randn(3, 4, 6, requires_grad=True)
    weight = sg.ones(4)
    functional = nn.functional

    def program() -> None:
        functional.batch_norm(x, sg.zeros(4), weight, training=True)
        functional.batch_norm(x, sg.zeros(4), weight)
        functional.layer_norm(x, (6,))
        functional.group_norm(x, 2)
        functional.rms_norm(x, (6,))
        functional.gelu(x)
        functional.scaled_dot_product_attention(x[None], x[None], x[None])
        functional.avg_pool1d(x, 2)

    for _ in range(2):  # the first calls take the general path
        names = Counter(event.name for event in profiled(program).events() if event.cpu_parent is None)
        assert names["aten::batch_norm"] == 2
        assert {f"aten::{name}_norm" for name in ("layer", "group", "rms")} <= names.keys()
        assert {"aten::gelu", "aten::scaled_dot_product_attention", "aten::avg_pool1d"} <= names.keys()
        internal = {f"aten::{name}" for name in ("standardize", "normalize_by", "gelu_erf", "attention", "avg_pool")}
        assert not internal & names.keys()


def test_backward_nodes_run_one_kernel() -> None:
    """No node of a step computes its gradients op by op, and the only ops of backward add gradients."""
    step = training_step(network())
    step()
    prof = profiled(step)
    nodes = [event for event in prof.events() if event.kind == "node"]
    assert {"ConvolutionBackward0", "LinearBackward0", "ReluBackward0"} <= {node.name for node in nodes}
    inside = {child.name for node in nodes for child in node.cpu_children}
    assert inside <= {"aten::view", "aten::reshape"}  # of Flatten


def test_results_have_the_same_bits() -> None:
    """Loss and parameters after some steps, with all that a profiler can record."""
    losses, weights = [], []
    for watched in (False, True):
        sg.manual_seed(0)
        model = network()
        step = training_step(model)
        if watched:
            with profile(record_shapes=True, profile_memory=True, with_stack=True):
                losses.append([step().item() for _ in range(3)])
        else:
            losses.append([step().item() for _ in range(3)])
        weights.append([parameter.tolist() for parameter in model.parameters()])
    assert losses[0] == losses[1] and weights[0] == weights[1]


KERNELS = """
import json, sys
import specgrad as sg
from specgrad import nn
from specgrad.runtime.compiler.passes.loading import load_compiler
load_compiler()
from specgrad.runtime.compiler.cache.dispatcher import KernelCache

asked, load = set(), KernelCache.load_overload
def load_overload(self, sig, target_context):
    asked.add(f"{self.compiler.py_func.__module__}.{self.compiler.py_func.__qualname__} {sig}")
    return load(self, sig, target_context)
KernelCache.load_overload = load_overload

sg.manual_seed(0)
model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten(), nn.Linear(144, 5))
x, labels = sg.randn(4, 2, 8, 8), sg.randint(0, 5, (4,))
optimizer = sg.optim.Adam(model.parameters())

def step():
    loss = nn.functional.cross_entropy(model(x) * sg.ones(5), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

if sys.argv[1] == "profiled":
    with sg.profiler.profile():
        step(), step()
else:
    step(), step()
print(json.dumps(sorted(asked)))
"""


def test_no_kernel_is_compiled_for_the_profiler() -> None:
    """The first steps of a program ask for the same kernels, with and without one."""
    found = []
    for how in ("profiled", "plain"):
        command = [sys.executable, "-c", KERNELS, how]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(set(json.loads(done.stdout.splitlines()[-1])))
    under, without = found
    assert without and under == without


def test_other_watchers_see_what_they_see_without_it() -> None:
    """A counter of operations, a mode, and autocast: the same ops, with the profiler around or inside."""
    model, x = network(), sg.randn(4, 2, 8, 8)

    class Names(sg.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(function.__name__)
            return function(*args, **(kwargs or {}))

    seen: list[str] = []

    def watched() -> tuple[Any, ...]:
        seen.clear()
        with FlopCounterMode(display=False) as counter, Names():
            model(x).sum().backward()
        with sg.autocast("cpu", dtype=sg.bfloat16):
            dtype = model[0](x).dtype
        return counter.get_flop_counts(), tuple(seen), dtype

    expected = watched()
    with profile() as prof:
        assert watched() == expected
    assert by_name(prof.events(), "aten::convolution")


def test_ops_with_several_results_are_linked() -> None:
    """The maxima of rows, and the parts of a split, have the number of their node, on each way."""
    x = sg.randn(4, 6, requires_grad=True)
    for _ in range(3):
        values: list[Any] = []
        with profile() as prof:
            values += [x.max(1), x.split(2)]
        numbers = [value[0].grad_fn._sequence_nr() for value in values]
        found = [
            max(e.sequence_nr, *(c.sequence_nr for c in e.cpu_children), -1) for e in prof.events() if not e.cpu_parent
        ]
        assert found == numbers


def test_threads_are_recorded_on_the_fast_path_too() -> None:
    """A profiler that starts while a plan exists stands around it in every thread."""
    x = sg.ones(4)
    x.sin()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        thread = threading.Thread(target=x.sin)
        thread.start()
        thread.join()
        x.sin()
    assert [event.thread for event in by_name(prof.events(), "aten::sin")] == [1, 2]
    assert [event.name for event in profiled(lambda: None).events()] == []


@native
def test_overhead_is_small() -> None:
    """Of a step with a norm of a batch: far below what computing gradients op by op costs, which is five times."""
    norm = nn.BatchNorm2d(32)
    x = sg.randn(16, 32, 28, 28, requires_grad=True)

    def step() -> None:
        x.grad = None
        norm(x).sum().backward()

    def seconds() -> float:
        start = time.perf_counter()
        step()
        return time.perf_counter() - start

    profiled(step)
    plain, under = [], []
    for _ in range(30):  # in turns; the least of each has met the least load
        plain.append(seconds())
        with profile():
            under.append(seconds())
    assert min(under) < 3 * min(plain)
