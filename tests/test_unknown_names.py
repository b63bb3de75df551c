"""What a program is told that asks for a name that is not there."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.unknown_names import did_you_mean, no_attribute

MEANT: dict[str, tuple[Callable[[], Any], str]] = {
    "function": (lambda: sg.matmull, r"module 'specgrad' has no attribute 'matmull'\. Did you mean 'matmul'\?$"),
    "class": (lambda: sg.nn.Liner, r"module 'specgrad\.nn' has no attribute 'Liner'\. Did you mean 'Linear'\?$"),
    "functional": (lambda: sg.nn.functional.crossentropy, r"Did you mean 'cross_entropy'\?$"),
    "in a table": (lambda: sg.optim.lr_scheduler.StepLr, r"Did you mean 'StepLR'\?$"),
    "initializer": (lambda: sg.nn.init.kaiming_nornal_, r"Did you mean 'kaiming_normal_'\?$"),
    "keyword of a class": (
        lambda: sg.nn.Conv2d(1, 8, kernel=3),  # type: ignore[call-arg]
        r"^Conv2d\.__init__\(\) got an unexpected keyword argument 'kernel'\. Did you mean 'kernel_size'\?$",
    ),
    "keyword of an optimizer": (
        lambda: sg.optim.Adam([], lrr=1),  # type: ignore[call-arg]
        r"^Adam\.__init__\(\) got an unexpected keyword argument 'lrr'\. Did you mean 'lr'\?$",
    ),
    "keyword of a function": (
        lambda: sg.nn.init.normal_(sg.ones(1), stdd=1),
        r"^normal_\(\) got an unexpected keyword argument 'stdd'\. Did you mean 'std'\?$",
    ),
    "keyword of overloads": (
        lambda: sg.ones(2).sum(dims=0),
        r"^sum\(\) received an invalid combination(.|\n)*there is no argument 'dims'\. Did you mean 'dim'\?$",
    ),
}


@pytest.mark.parametrize("name", MEANT)
def test_what_was_meant(name: str) -> None:
    """The likest name there is, and the public name of what was called."""
    call, message = MEANT[name]
    with pytest.raises((AttributeError, TypeError), match=message):
        call()


def test_overloads_are_signatures_of_python() -> None:
    """Nothing of the schemas of derivatives.yaml."""
    with pytest.raises(TypeError) as caught:
        sg.ones(2).sum(dims=0)
    lines = str(caught.value).splitlines()
    assert lines[1] == " * sum(input: Tensor, *, dtype: dtype | None = None, out: Tensor | None = None)"
    assert "ScalarType" not in str(caught.value) and "int[1]" not in str(caught.value)


def test_nothing_like_it() -> None:
    """No suggestion is better than a wrong one, and none is made for what programs ask for."""
    assert did_you_mean("zzz", ["matmul", "sum"]) == ""
    assert did_you_mean("__wrapped__", ["_wrapped", "wrapped__"]) == ""
    assert did_you_mean("Matmul", ["matmul", "sum"]) == ". Did you mean 'matmul'?"


ABSENT = {
    "quantize_per_tensor": "specgrad has no quantize_per_tensor: there are no quantized tensors",
    "jit.strict_fusion": "specgrad has no jit.strict_fusion: there are no TorchScript programs here",
    "xpu.memory_stats": "specgrad has no xpu.memory_stats: specgrad uses no devices of this kind",
    "lobpcg": "specgrad has no lobpcg: not there yet",
}


@pytest.mark.parametrize("name", ABSENT)
def test_names_of_pytorchs(name: str) -> None:
    """One sentence, with the name and the reason; it is an AttributeError, so `hasattr` is False."""
    owner: Any = sg
    *modules, last = name.split(".")
    for module in modules:
        owner = getattr(owner, module)
    assert not hasattr(owner, last)
    with pytest.raises(AttributeError) as caught:
        getattr(owner, last)
    assert str(caught.value).startswith(ABSENT[name])


def test_one_sentence() -> None:
    """What is named but cannot be done, and a method that a traced module has not, say it in the same words."""
    with pytest.raises(RuntimeError, match="^specgrad has no jit.load: there are no TorchScript programs here"):
        sg.jit.load("file")
    traced = sg.jit.trace(sg.nn.Linear(1, 1), sg.ones(1, 1))
    with pytest.raises(AttributeError, match="^specgrad has no jit.ScriptModule.save: there are no TorchScript"):
        traced.save("file")
    with pytest.raises(RuntimeError, match="^specgrad has no distributed._?tensor.DTensor: not there yet"):
        sg.distributed.tensor.DTensor()


def test_the_error_is_made_for_any_module() -> None:
    """An AttributeError, not raised."""
    assert isinstance(no_attribute("specgrad.nn", "nothing_like_it"), AttributeError)
