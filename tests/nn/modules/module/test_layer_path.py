"""An error that leaves a model names the layer that it comes from."""

from typing import Any

import pytest

import specgrad as sg
from specgrad import nn

pytestmark = pytest.mark.cpu("errors are raised before a device is asked")


class Block(nn.Module):
    """Layers by attribute, in a list, and a mistake of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3)
        self.more = nn.ModuleList([nn.Identity(), nn.Linear(2, 2)])

    def forward(self, x: Any) -> Any:
        if x.ndim == 2:
            return self.more[1](x)
        if x.ndim == 1:
            return x.view(99)
        return self.conv1(x)


def _notes(model: Any, *args: Any) -> list[str]:
    with pytest.raises(RuntimeError) as caught:
        model(*args)
    assert "in " not in str(caught.value).splitlines()[-1][:3]  # a note: programs compare the message
    return getattr(caught.value, "__notes__", [])


def test_path_and_class() -> None:
    """From the outermost module that was called; through lists, which are not called."""
    model = nn.Sequential(nn.Identity(), nn.Sequential(Block()))
    assert _notes(model, sg.ones(1, 5, 8, 8)) == ['in "1.0.conv1" (Conv2d)']
    assert _notes(model, sg.ones(3, 3)) == ['in "1.0.more.1" (Linear)']
    assert _notes(model, sg.ones(3)) == ['in "1.0" (Block)']


def test_no_path() -> None:
    """A layer that is called by itself has no name."""
    assert _notes(nn.Linear(2, 2), sg.ones(3, 3)) == []


def test_argument_errors() -> None:
    """An error that is explained from the annotations has the note too."""
    with pytest.raises(TypeError) as caught:
        nn.Sequential(nn.Sequential(nn.LSTM(2, 3)))(5)
    assert caught.value.__notes__ == ['in "0.0" (LSTM)']


def test_other_errors_have_none() -> None:
    """What is not about values passes as it is: a program's way out of its own model."""

    class Stop(Exception):
        pass

    class Stopping(nn.Module):
        def forward(self, x: Any) -> Any:
            raise Stop

    with pytest.raises(Stop) as caught:
        nn.Sequential(Stopping())(sg.ones(1))
    assert not hasattr(caught.value, "__notes__")


def test_an_error_keeps_no_module() -> None:
    """The note is text."""
    import gc
    import weakref

    model = nn.Sequential(nn.Linear(2, 2))
    with pytest.raises(RuntimeError) as caught:
        model(sg.ones(3, 3))
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert caught.value.__notes__ and seen() is None
