"""Native code runs the plans of kernels: a call of layouts that have been seen does not come to Python again."""

from __future__ import annotations

import importlib
import pkgutil
from itertools import product
from typing import Any

import pytest

import specgrad as sg
from specgrad.generated import ops
from specgrad.runtime.dispatch.kernel_ops.gradient import KernelOpGradient
from specgrad.runtime.dispatch.kernel_ops.kernel_op import KernelOp
from specgrad.runtime.kernels.cpu.plan import takes_complex
from specgrad.runtime.namespace import op
from specgrad.runtime.native.check_mode import native_alone
from tests.generated.calls import BY_NAME, Style, call_sources, gradients, run
from tests.places import simulated_device


def kernel_ops() -> dict[str, KernelOp]:
    """The ops whose kernel has plans, by the names of their entries."""
    names = {name.partition(".")[0].upper(): name for name in BY_NAME}  # of ops with one overload
    names |= {name.replace(".", "_").upper(): name for name in BY_NAME}
    names |= {f"{name.upper()}_DEFAULT": name for name in BY_NAME}
    modules = [importlib.import_module(f"{ops.__name__}.{info.name}") for info in pkgutil.iter_modules(ops.__path__)]
    found = [(key, value) for module in modules for key, value in vars(module).items() if isinstance(value, KernelOp)]
    return {names[key]: value for key, value in found if value.find}


KERNEL_OPS = kernel_ops()
GRADIENTS = {name: getattr(op.node, "plans", None) for name, op in BY_NAME.items()}
PLANNED = [name for name, plans in GRADIENTS.items() if isinstance(plans, KernelOpGradient) and plans.find]


def test_the_tables_hold_what_has_plans() -> None:
    """So the tests below look at something."""
    assert {"logsumexp", "norm", "std.correction", "mv", "standardize_groups", "normalize_rms"} <= KERNEL_OPS.keys()
    assert {"logsumexp", "standardize_groups", "normalize_rms", "softmax", "expand"} <= set(PLANNED)
    assert {"mean", "max", "prod", "index.Tensor"} <= set(PLANNED)


def has_plan(found: dict[Any, Any]) -> bool:
    return any(plan is not None for plan in found.values())


@pytest.mark.parametrize("name", KERNEL_OPS)
def test_native_code_runs_the_plan_of_a_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call finds the plan, the second one is answered by native code; each op has a sample with a plan."""
    op, answers, planned = KERNEL_OPS[name], list[Any](), 0
    launch = op.launch

    def noted(*arguments: Any) -> Any:
        answers.append(launch(*arguments))
        return answers[-1]

    monkeypatch.setattr(op, "launch", noted)
    dtypes = (sg.float32, sg.complex64) if takes_complex(op.find) else (sg.float32,)
    for text, dtype in product(call_sources(BY_NAME[name]), dtypes):
        tables = op.cached, op.cached_complex, op.cached_integer, op.cached_bool
        for table in tables:
            table.clear()
        run(name, text, Style(dtype))
        if any(map(has_plan, tables)):
            planned += 1
            answers.clear()
            run(name, text, Style(dtype))
            assert any(answer is not None for answer in answers), text
    assert planned


@pytest.mark.parametrize("name", PLANNED)
def test_native_code_runs_the_plan_of_a_gradient(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first backward pass finds the plan, in the second one Python does not see the node, but where nothing is."""
    node, planned, seen = BY_NAME[name].node, 0, list[Any]()
    apply = node.apply

    def noted(*arguments: Any) -> Any:
        seen.append(arguments)
        return apply(*arguments)

    monkeypatch.setattr(node, "apply", noted)
    style = Style(sg.float32, grad=True)
    with native_alone():
        for text in call_sources(BY_NAME[name]):
            node.plans.cached.clear()
            found = gradients(name, text, style)
            if has_plan(node.plans.cached) and all(gradient.numel() for gradient in found):
                planned += 1
                seen.clear()
                gradients(name, text, style)
                assert seen == [], text
    assert planned


SHAPES = ((5,), (5, 1), (1, 5, 1))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("requested", [False, True])
def test_a_gradient_has_the_shape_of_its_input_though_that_is_not_kept(device: str, requested: bool) -> None:
    """Where a plan is looked up by what the node keeps, inputs of other shapes (a bias) share it."""
    with simulated_device():
        x, ones = sg.randn(2, 5, 3, device=device, requires_grad=requested), sg.ones(2, 5, 3, device=device)
        for shape in (*SHAPES, *SHAPES):
            weight = sg.ones(shape, device=device, requires_grad=True)
            for retained in (weight, sg.ones(5, device=device, requires_grad=True)):
                bias = sg.zeros(shape, device=device, requires_grad=True)
                op.standardize(x, retained, bias, [0, 2], [1, 5, 1], 1e-5)[0].backward(ones)
                assert bias.grad.shape == shape and bool((bias.grad == 6).all())
                assert retained.grad.shape == retained.shape
