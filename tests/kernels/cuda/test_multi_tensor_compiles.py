"""Kernels over several arrays compile: what optimizers launch stays within a thread's registers, on each target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin
from specgrad.runtime.kernels.cuda.kernel import TARGETS
from tests.device.cuda.simulator import simulated

RULES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"momentum": 0.9}),
    ("Adam", {"amsgrad": True}),
    ("Adam", {"fused": True}),
    ("NAdam", {"capturable": True}),
    ("RAdam", {"capturable": True}),
    ("Adagrad", {"fused": True}),
    ("Adadelta", {}),
    ("RMSprop", {"centered": True, "momentum": 0.9}),
    ("Adamax", {"capturable": True}),
    ("ASGD", {"capturable": True}),
    ("Rprop", {}),
]
MAX_COUNT = 128  # registers: two blocks of 256 threads have their place on a multiprocessor


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The kernels over several arrays that a program loads, with their signatures."""
    found: list[Any] = []
    with simulated() as driver:
        before = driver.load

        def load(kernel: Any, signature: Any, device: int) -> int:
            if "several" in kernel.name:
                found.append((kernel, signature))
            return before(kernel, signature, device)

        monkeypatch.setattr(driver, "load", load)
        yield found


def compiled(loaded: list[Any], count: int) -> Iterator[str]:
    """The PTX of so many kernels, each of which needs no memory of its own as machine code."""
    assert len(loaded) == count
    for kernel, signature in loaded:
        text = ptx(kernel.make, signature)
        for target in TARGETS:
            cubin = to_cubin(text, target)
            assert (cubin.stack, cubin.spilled) == (0, 0) and cubin.registers <= MAX_COUNT
        yield text


@pytest.mark.parametrize(("name", "options"), RULES, ids=str)
def test_update_rules(name: str, options: dict[str, Any], loaded: list[Any]) -> None:
    """What is at an address that was read is known to be in the device's memory: no generic loads and stores."""
    p = sg.ones(2, device="cuda", requires_grad=True)
    p.grad = sg.ones_like(p)
    getattr(sg.optim, name)([p], **options).step()
    for text in compiled(loaded, 1):
        assert re.search(r"\bld\.global\.f32", text) and not re.search(r"\b(ld|st)\.f32", text)


@pytest.mark.parametrize("dtype", [sg.float64, sg.float16, sg.bfloat16], ids=str)
def test_dtypes(dtype: Any, loaded: list[Any]) -> None:
    """With a step size that lies on the device."""
    p = sg.ones(2, device="cuda", dtype=dtype, requires_grad=True)
    p.grad = sg.ones_like(p)
    sg.optim.AdamW([p], lr=sg.tensor(0.1, device="cuda"), capturable=True).step()
    assert len(list(compiled(loaded, 1))) == 1


def test_changes_of_gradients(loaded: list[Any]) -> None:
    """Two norms, what scales by them, bounds, and zeros."""
    p = sg.ones(2, device="cuda", requires_grad=True)
    p.grad = sg.ones_like(p)
    sg.nn.utils.clip_grad_norm_([p], 1.0)
    sg.nn.utils.get_total_norm([p.grad], float("inf"))
    sg.nn.utils.clip_grad_value_([p], 1.0)
    sg.optim.SGD([p]).zero_grad(set_to_none=False)
    assert len(list(compiled(loaded, 5))) == 5


def test_elements_are_read_before_any_is_written(loaded: list[Any]) -> None:
    """Four of each array, so that reads wait for memory together."""
    p = sg.ones(2, device="cuda", requires_grad=True)
    p.grad = sg.ones_like(p)
    sg.optim.SGD([p]).step()
    (text,) = compiled(loaded, 1)
    order = "".join(re.findall(r"\b(ld|st)\.global\.f32", text)).replace("ld", "r").replace("st", "w")
    assert order.startswith("rrrrrrrrwwww")
