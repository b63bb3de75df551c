"""Optimizers on a device: the CPU's numbers, by one launch a step; counts on the device, checkpoints, gradients."""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.cuda.driver import driver
from specgrad.runtime.extensions.simulator import launches
from specgrad.runtime.extensions.simulator.threads import SimulatedCuda
from specgrad.runtime.kernels.cuda import multi_tensor
from tests.places import simulated_device

RNG = np.random.default_rng(5)
SHAPES = [(3, 4), (37,), (), (0, 2), (2, 1, 3)]
START = [RNG.standard_normal(shape) for shape in SHAPES]
GRADS = [[RNG.standard_normal(shape) for shape in SHAPES] for _ in range(5)]
MISSING = (2, 1)  # in which step which parameter has no gradient

CASES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1, "maximize": True}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("Adam", {"weight_decay": 0.1}),
    ("Adam", {"amsgrad": True, "maximize": True, "betas": (0.5, 0.6), "lr": 0.1}),
    ("AdamW", {"amsgrad": True}),
    ("NAdam", {"weight_decay": 0.1}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True, "lr": 0.1}),
    ("RAdam", {"betas": (0.5, 0.6)}),
    ("RAdam", {"betas": (0.9, 0.999), "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adagrad", {"lr_decay": 0.1, "initial_accumulator_value": 0.2, "weight_decay": 0.1}),
    ("Adadelta", {"rho": 0.5, "maximize": True}),
    ("RMSprop", {"alpha": 0.5}),
    ("RMSprop", {"centered": True, "weight_decay": 0.1}),
    ("RMSprop", {"momentum": 0.9}),
    ("RMSprop", {"centered": True, "momentum": 0.9, "maximize": True}),
    ("Adamax", {"betas": (0.5, 0.6), "weight_decay": 0.1}),
    ("ASGD", {"t0": 2, "lambd": 0.1, "alpha": 0.5}),
    ("Rprop", {"step_sizes": (1e-3, 0.02), "maximize": True}),
]
IDS = [f"{name}-{'-'.join(options) or 'defaults'}" for name, options in CASES]
COUNTED = [  # those that count steps, with each option that lets the device do so
    pytest.param(name, options, option, id=f"{label}-{option}")
    for (name, options), label in zip(CASES, IDS, strict=True)
    for option in ("capturable", "fused")
    if name != "SGD" and option in inspect.signature(getattr(sg.optim, name)).parameters
]


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A simulated device on which nothing may be left to the host."""
    with simulated_device():
        monkeypatch.setenv("SPECGRAD_CUDA_FALLBACK", "error")
        yield


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the driver is asked for what."""
    found: Counter[str] = Counter()

    def counted(name: str) -> Any:
        before = getattr(driver(), name)

        def call(*given: Any) -> Any:
            found[f"{name} {given[3]}" if name == "copy" else name] += 1
            return before(*given)

        return call

    for name in ("launch", "copy", "fill"):
        monkeypatch.setattr(driver(), name, counted(name))
    return found


def parameters(target_device: str, dtype: Any = sg.float64) -> list[Any]:
    return [sg.tensor(value, dtype=dtype, device=target_device).requires_grad_() for value in START]


def give(params: list[Any], step: int) -> None:
    """The gradients of a step."""
    for number, (p, grad) in enumerate(zip(params, GRADS[step], strict=True)):
        p.grad = None if (step, number) == MISSING else sg.tensor(grad, dtype=p.dtype, device=p.device)


def trained(target_device: str, name: str, options: dict[str, Any], dtype: Any = sg.float64) -> tuple[list[Any], Any]:
    params = parameters(target_device, dtype)
    optimizer = getattr(sg.optim, name)(params, **options)
    for step in range(len(GRADS)):
        give(params, step)
        optimizer.step()
    return params, optimizer


def values(tensors: list[Any]) -> list[Any]:
    return [t.detach().cpu().double().numpy() for t in tensors]


def same(one: list[Any], other: list[Any], tolerance: float) -> None:
    for a, b in zip(values(one), values(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def retained(optimizer: Any) -> list[Any]:
    """The estimates of an optimizer."""
    found = optimizer.state_dict()["state"]
    return [tensor for _, state in sorted(found.items()) for _, tensor in sorted(state.items())]


@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float64, 1e-12), (sg.float32, 1e-6)], ids=["double", "single"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_steps_are_those_of_the_cpu(name: str, options: dict[str, Any], dtype: Any, tolerance: float) -> None:
    """Parameters and estimates after five steps, in one of which a parameter has no gradient; some are empty."""
    expected, there = trained("cpu", name, options, dtype)
    found, here = trained("cuda", name, options, dtype)
    same(found, expected, tolerance)
    same(retained(here), retained(there), tolerance)


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16], ids=str)
@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_narrow_dtypes(name: str, options: dict[str, Any], dtype: Any) -> None:
    """Elements are computed in float32 and rounded once a step: as near to float64 as rounding lets five steps be."""
    tolerance = {"float16": 2**-7, "bfloat16": 2**-4}[dtype.name]
    expected, _ = trained("cpu", name, options)
    found, _ = trained("cuda", name, options, dtype)
    assert all(p.dtype is dtype for p in found)
    same(found, expected, tolerance)


@pytest.mark.parametrize(("name", "options", "option"), COUNTED)
def test_counts_on_the_device(name: str, options: dict[str, Any], option: str) -> None:
    """With `capturable` or `fused` all counts lie beside the parameters, each its own, and steps are the same."""
    expected, there = trained("cpu", name, options)
    found, here = trained("cuda", name, {**options, option: True})
    same(found, expected, 1e-12)
    same(retained(here), retained(there), 1e-12)
    states = [here.state[p] for p in found]
    assert [int(state["step"]) for state in states] == [5, 4, 5, 5, 5]
    counts = [state[name] for state in states for name in here._scalars]
    assert all(count.is_cuda and count.dtype is sg.float32 for count in counts)


def test_counts_on_the_host() -> None:
    """Without these options they lie on the CPU, as PyTorch has them."""
    for name, options in CASES:
        _, optimizer = trained("cuda", name, options)
        if name == "SGD":
            continue
        assert all(state[each].is_cpu for state in optimizer.state.values() for each in optimizer._scalars)


@pytest.mark.parametrize("options", [{}, {"capturable": True}, {"fused": True}], ids=str)
def test_a_steady_step_is_one_launch(options: dict[str, Any], calls: Counter[str]) -> None:
    """Adam on 20 parameters that stay where they are: no copies, no fills, and nothing that waits."""
    params = [sg.ones(n, 3, device="cuda", requires_grad=True) for n in range(1, 21)]
    optimizer = sg.optim.Adam(params, **options)
    for p in params:
        p.grad = sg.ones_like(p)
    for expected in ({"launch": 1, "copy h2d": 1}, {"launch": 1}, {"launch": 1}):
        if expected.get("copy h2d"):
            for p in params:  # estimates are made in the first step
                optimizer.state[p] = {name: sg.zeros_like(p) for name in ("exp_avg", "exp_avg_sq")}
                optimizer.state[p]["step"] = sg.zeros((), device="cuda" if options else "cpu")
        calls.clear()
        optimizer.step()
        assert calls == expected


def test_a_table_is_made_where_addresses_change(calls: Counter[str]) -> None:
    """It is found again when gradients come back to where they were."""
    params = parameters("cuda")
    optimizer = sg.optim.SGD(params)
    first, second = ([sg.ones_like(p) for p in params] for _ in range(2))
    for grads, copies in ((first, 1), (second, 1), (first, 0), (second, 0)):
        for p, grad in zip(params, grads, strict=True):
            p.grad = grad
        calls.clear()
        optimizer.step()
        assert (calls["launch"], calls["copy h2d"]) == (1, copies)


def test_large_parameters_have_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block has a chunk; all of them find the same count, and one of them counts on."""
    monkeypatch.setattr("specgrad.runtime.kernels.cuda_launch.multi_tensor.CHUNK", 64)
    start, grad = RNG.standard_normal(333), RNG.standard_normal(333)
    results = []
    for target_device, options in (("cpu", {}), ("cuda", {}), ("cuda", {"capturable": True})):
        params = [
            sg.tensor(start, device=target_device).requires_grad_(),
            sg.ones(3, device=target_device, requires_grad=True),
        ]
        optimizer = sg.optim.NAdam(params, **options)
        for _ in range(3):
            params[0].grad = sg.tensor(grad, device=target_device)
            params[1].grad = sg.ones(3, device=target_device)
            optimizer.step()
        results.append((params, retained(optimizer)))
    for params, state in results[1:]:
        same(params, results[0][0], 1e-12)
        same(state, results[0][1], 1e-12)


def test_layouts() -> None:
    """Parameters and gradients that are not contiguous are changed by way of copies, views in their bases."""
    results = []
    for target_device in ("cpu", "cuda"):
        base = sg.tensor(RNG_MATRIX, device=target_device)
        params = [base.t().requires_grad_(), sg.tensor(RNG_MATRIX, device=target_device).requires_grad_()]
        optimizer = sg.optim.Adam(params, lr=0.1, fused=True if target_device == "cuda" else None)
        for step in range(3):
            params[0].grad = sg.tensor(RNG_MATRIX.T * (step + 1), device=target_device)
            params[1].grad = sg.tensor(RNG_MATRIX.T.copy(), device=target_device).t()
            optimizer.step()
        results.append([*params, base])
    same(results[1], results[0], 1e-12)
    np.testing.assert_array_equal(*values([results[1][0].t(), results[1][2]]))


RNG_MATRIX = RNG.standard_normal((4, 6))


@pytest.mark.parametrize("name", ["SGD", "Adam", "Rprop"])
def test_complex_parameters(name: str) -> None:
    z = RNG_MATRIX + 1j * RNG_MATRIX[::-1]
    found = []
    for target_device in ("cpu", "cuda"):
        p = sg.tensor(z, device=target_device).requires_grad_()
        optimizer = getattr(sg.optim, name)([p], lr=0.1)
        for step in range(3):
            p.grad = sg.tensor(z.conj() * (step - 1), device=target_device)
            optimizer.step()
        found.append(p.detach().cpu().numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
@pytest.mark.parametrize("options", [{"differentiable": True}, {"fused": False}, {"foreach": False}], ids=str)
def test_other_ways_to_the_same_step(options: dict[str, Any]) -> None:
    """Tensor operations on the device, and options that change nothing."""
    expected, _ = trained("cpu", "Adam", {"weight_decay": 0.1})
    params = parameters("cuda")
    given = [p.clone() for p in params] if "differentiable" in options else params
    optimizer = sg.optim.Adam(given, weight_decay=0.1, **options)
    for step in range(len(GRADS)):
        give(given, step)
        optimizer.step()
    same(given, expected, 1e-12)


def test_groups(calls: Counter[str]) -> None:
    """Parameters of groups that differ in an option go apart, those of groups that do not go together."""
    params = [sg.ones(3, device="cuda", requires_grad=True) for _ in range(4)]
    groups = [{"params": [params[0]]}, {"params": [params[1]]}, {"params": params[2:], "lr": 0.5}]
    optimizer = sg.optim.SGD(groups, lr=0.25)
    for p in params:
        p.grad = sg.ones_like(p)
    optimizer.step()
    assert [p.tolist()[0] for p in params] == [0.75, 0.75, 0.5, 0.5]
    calls.clear()
    optimizer.step()
    assert calls == {"launch": 2}


@pytest.mark.parametrize("options", [{}, {"fused": True}, {"capturable": True}], ids=str)
def test_the_step_size_as_a_tensor(options: dict[str, Any], calls: Counter[str]) -> None:
    """A tensor of the device; where the device counts it is read there, whatever is written to it meanwhile."""
    lr = sg.tensor(0.1, dtype=sg.float64, device="cuda")
    p, q = (sg.ones(3, device=target_device, dtype=sg.float64, requires_grad=True) for target_device in ("cuda", "cpu"))
    optimizer, expected = sg.optim.Adam([p], lr=lr, **options), sg.optim.Adam([q], lr=0.1)
    for step in range(3):
        p.grad, q.grad = sg.ones_like(p), sg.ones_like(q)
        lr.fill_(0.1 * (step + 1))
        expected.param_groups[0]["lr"] = 0.1 * (step + 1)
        calls.clear()
        optimizer.step()
        assert calls["copy d2h"] == (0 if options else calls["copy d2h"])
        expected.step()
    same([p], [q], 1e-12)


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if case[0] not in ("SGD", "Rprop")][::2], ids=str)
@pytest.mark.parametrize(("first", "then"), [("cpu", "cuda"), ("cuda", "cpu"), ("cuda", "capturable")])
def test_checkpoints_go_from_device_to_device(name: str, options: dict[str, Any], first: str, then: str) -> None:
    """Three steps on one and two on another are five; counts go where the second one counts."""
    expected, _ = trained("cpu", name, options)
    params = parameters(first)
    optimizer = getattr(sg.optim, name)(params, **options)
    for step in range(len(GRADS)):
        if step == 3:
            target_device = "cpu" if then == "cpu" else "cuda"
            moved = [p.detach().to(target_device).requires_grad_() for p in params]
            saved = copy.deepcopy(optimizer.state_dict())
            optimizer = getattr(sg.optim, name)(moved, **options)
            if then == "capturable" and "capturable" in optimizer.defaults:
                for group in saved["param_groups"]:
                    group["capturable"] = True
            optimizer.load_state_dict(saved)
            params = moved
            is_there = bool(optimizer.param_groups[0].get("capturable"))
            assert all(optimizer.state[p][each].is_cuda == is_there for p in params for each in optimizer._scalars)
        give(params, step)
        optimizer.step()
    same(params, expected, 1e-6)  # what is counted is kept in float32


def test_a_step_counts_as_a_write() -> None:
    p = sg.ones(3, device="cuda", requires_grad=True)
    y = (p * p).sum()
    p.grad = sg.ones_like(p)
    sg.optim.SGD([p]).step()
    with pytest.raises(RuntimeError, match="modified by an in-?place operation"):
        y.backward()


def test_parameters_and_gradients_that_do_not_fit() -> None:
    """A gradient of another shape is no access out of bounds."""
    p = sg.ones(3, device="cuda", requires_grad=True)
    p.grad = sg.ones_like(p)
    p.data = sg.ones(100, device="cuda")
    with pytest.raises(RuntimeError):
        sg.optim.SGD([p], lr=0.1).step()


def test_what_a_simulated_device_is_too_slow_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensor operations compute it, also where the device counts."""
    monkeypatch.setenv("SPECGRAD_CUDA_FALLBACK", "silent")
    size = driver().max_elements or 4096
    for options in ({}, {"capturable": True}):
        params = [sg.ones(size, device="cuda", requires_grad=True), sg.ones(2, device="cuda", requires_grad=True)]
        optimizer = sg.optim.Adam(params, lr=0.1, **options)
        for _ in range(2):
            for p in params:
                p.grad = sg.full_like(p, 2.0)
            optimizer.step()
        np.testing.assert_allclose(values(params)[0][:2], values(params)[1], rtol=1e-6)
        assert all(state["step"].is_cuda == bool(options) for state in optimizer.state.values())


# ---- gradients -----------------------------------------------------------------------------------------------------


def with_gradients(target_device: str, dtype: Any) -> list[Any]:
    params = [p for p in parameters(target_device, dtype) if p.numel()]
    for p, grad in zip(params, [g for g in GRADS[0] if g.size], strict=True):
        p.grad = sg.tensor(grad, dtype=dtype, device=target_device)
    return [*params, sg.ones(2, dtype=dtype, device=target_device, requires_grad=True)]


DTYPES = [(sg.float64, 1e-12), (sg.float32, 1e-6), (sg.float16, 1e-3), (sg.bfloat16, 1e-2)]


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES, ids=lambda value: str(value))
@pytest.mark.parametrize("norm_type", [2, float("inf"), 1])
@pytest.mark.parametrize("max_count", [0.5, 1e3])
def test_clipping_by_norm(
    dtype: Any, tolerance: float, norm_type: float, max_count: float, calls: Counter[str]
) -> None:
    found = []
    for target_device in ("cpu", "cuda"):
        params = with_gradients(target_device, dtype)
        calls.clear()
        total = sg.nn.utils.clip_grad_norm_(params, max_count, norm_type)
        assert total.dtype is dtype and total.device.type == target_device
        found.append([total, *[p.grad for p in params[:-1]]])
    assert calls["copy d2h"] == 0 and (norm_type == 1 or calls["launch"] <= 6)
    same(found[1], found[0], tolerance)


def test_clipping_keeps_what_is_no_number() -> None:
    params = with_gradients("cuda", sg.float32)
    params[0].grad[0, 0] = float("nan")
    total = sg.nn.utils.clip_grad_norm_(params, 1.0)
    assert total.isnan().item() and all(p.grad.isnan().all().item() for p in params[:-1])
    with pytest.raises(RuntimeError, match="is non-finite"):
        sg.nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)


def test_clipping_by_value_and_zeros(calls: Counter[str]) -> None:
    """One launch for all gradients of a dtype; they stay the same tensors, and count as written."""
    params = with_gradients("cuda", sg.float32)
    params[0].grad[0, 0] = float("nan")
    before = values([p.grad for p in params[:-1]])
    sg.nn.utils.clip_grad_value_(params, 0.5)
    for value, p in zip(before, params, strict=False):
        np.testing.assert_array_equal(p.grad.cpu().numpy(), np.clip(value, -0.5, 0.5))
    held, optimizer = [p.grad for p in params], sg.optim.SGD(params)
    versions = [grad._version for grad in held[:-1]]
    for change in (
        lambda: sg.nn.utils.clip_grad_value_(params, 0.5),
        lambda: optimizer.zero_grad(set_to_none=False),
    ):
        change()
        calls.clear()
        change()
        assert calls == {"launch": 1}
    assert all(p.grad is grad for p, grad in zip(params, held, strict=True))
    assert [grad._version - v for grad, v in zip(held, versions, strict=False)] == [4] * len(versions)
    assert not any(grad.any().item() for grad in held[:-1])


def test_kernels_are_made_once() -> None:
    """Equal changes are one kernel, which the driver has loaded."""
    trained("cuda", "Adam", {})
    before = multi_tensor.changing.cache_info().misses
    trained("cuda", "Adam", {"lr": 0.5, "weight_decay": 0.1})
    assert multi_tensor.changing.cache_info().misses == before


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_orders_of_threads(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that count together, and threads that sum together, in any order."""
    monkeypatch.setattr("specgrad.runtime.kernels.cuda_launch.multi_tensor.CHUNK", 32)
    monkeypatch.setattr(launches, "THREADS", SimulatedCuda(order, seed=3))
    results = []
    for target_device in ("cpu", "cuda"):
        params = [sg.ones(n, device=target_device, dtype=sg.float64, requires_grad=True) for n in (257, 33, 1)]
        optimizer = sg.optim.AdamW(params, fused=target_device == "cuda")
        for _ in range(2):
            for p in params:
                p.grad = sg.linspace(-1, 2, p.numel(), dtype=sg.float64).to(target_device)
            total = sg.nn.utils.clip_grad_norm_(params, 3.0)
            optimizer.step()
        results.append([total, *params, *[state["step"] for state in optimizer.state.values()]])
    same(results[1], results[0], 1e-12)


def test_options_that_exclude_each_other() -> None:
    """As PyTorch refuses them."""
    params = [sg.ones(2, device="cuda", requires_grad=True)]
    lr = sg.tensor(0.1, device="cuda")
    with pytest.raises(ValueError, match="lr as a Tensor is not supported for capturable=False and foreach=True"):
        sg.optim.AdamW(params, lr=lr, foreach=True)
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
        sg.optim.Adam(params, fused=True, foreach=True)
    with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
        sg.optim.SGD(params, fused=True, differentiable=True)
    sg.optim.Adam(params, lr=lr, foreach=True, capturable=True)
