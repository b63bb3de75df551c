"""Every entry of the spec computes on a device what it computes on the CPU: all samples, values and gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from tests.device.cuda.comparison import REFUSED, UP_TO_PHASE, same, shown
from tests.generated.calls import BY_NAME, NAMES, Style, call_sources, outputs_and_gradients, run
from tests.places import simulated_device

HOST, DEVICE = Style(sg.float64, grad=True), Style(sg.float64, grad=True, device="cuda")


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with simulated_device():
        yield


def outputs(name: str, text: str, style: Style) -> Any:
    """The outputs of a call with the same random numbers each time, or the error."""
    sg.manual_seed(0)
    try:
        return tuple(map(shown, run(name, text, style)))
    except REFUSED as error:
        return type(error)


def computed(name: str, text: str, style: Style) -> Any:
    """The outputs and the gradients, or the error, in the same way."""
    sg.manual_seed(0)
    try:
        return outputs_and_gradients(name, text, style)
    except REFUSED as error:
        return type(error)


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients(name: str) -> None:
    for text in call_sources(BY_NAME[name]):
        expected, found = computed(name, text, HOST), computed(name, text, DEVICE)
        if isinstance(expected, type):
            assert found is expected, f"{name}({text}): {found} instead of {expected}"
            continue
        assert not isinstance(found, type), f"{name}({text}) raises {found}"
        for one, other in zip(map(shown, found[0]), map(shown, expected[0]), strict=True):
            assert same(one, other, 1e-11, name in UP_TO_PHASE), (
                f"{name}({text}) gives {one} on the device, {other} on the CPU"
            )
            assert not isinstance(one, sg.Tensor) or one.is_cuda or "'cpu'" in text, f"{name}({text}) is {one.device}"
        if name in UP_TO_PHASE:  # so are gradients of what depends on these vectors
            continue
        for one, other in zip(found[1], expected[1], strict=True):
            assert same(one, other, 1e-9), f"{name}({text}): gradient {one} on the device, {other} on the CPU"
            assert one is None or one.is_cuda


@pytest.mark.parametrize("name", NAMES)
def test_strided_operands(name: str) -> None:
    for text in call_sources(BY_NAME[name])[:1]:
        expected = outputs(name, text, Style(sg.float64, strided=True))
        found = outputs(name, text, Style(sg.float64, strided=True, device="cuda"))
        if isinstance(expected, type):
            assert found is expected
            continue
        assert not isinstance(found, type), f"{name}({text}) raises {found}"
        pairs = zip(found, expected, strict=True)
        assert all(same(*pair, 1e-11, name in UP_TO_PHASE) for pair in pairs), f"{name}({text})"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int64", "bool", "complex128"])
def test_other_dtypes(dtype: str) -> None:
    """The first sample of each entry, where it takes such numbers."""
    kind = getattr(sg, dtype)
    wrong = []
    for name in NAMES:
        found_texts = call_sources(BY_NAME[name], kind.kind)
        for text in found_texts[:1]:
            expected, found = outputs(name, text, Style(kind)), outputs(name, text, Style(kind, device="cuda"))
            if isinstance(expected, type) or isinstance(found, type):
                agree = found is expected
            else:
                pairs = zip(found, expected, strict=True)
                agree = all(same(*pair, 1e-11, name in UP_TO_PHASE) for pair in pairs)
            wrong += [] if agree else [f"{name}({text}): {found} instead of {expected}"]
    assert wrong == []
