"""Names of what is not here: programs import all of them, and learn why from the first that they need."""

import importlib
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime import unknown_names
from specgrad.torch_names import NAMES
from specgrad.unavailable import UNAVAILABLE, WHY, Question, absent, block, mark

pytestmark = pytest.mark.cpu("nothing is computed")
ERRORS = [name for name, (what, *_) in WHY.items() if isinstance(what, type) or what is absent]
ANSWERS = [name for name, (what, *_) in WHY.items() if not callable(what)]


def _named(name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"specgrad.{module}"), last)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_what_was_asked_for_and_why(name: str) -> None:
    """A call, or making one of a class."""
    what, why, _ = WHY[name]
    with pytest.raises(RuntimeError if what is absent else what) as raised:
        _named(name)(1, option=2)
    assert name.rpartition(".")[2] in str(raised.value) and str(raised.value).startswith("specgrad has no ")
    assert str(raised.value).endswith(getattr(unknown_names, why, why))


@pytest.mark.parametrize("name", [name for name, (what, *_) in WHY.items() if isinstance(what, Question)])
def test_a_question(name: str) -> None:
    """It takes no arguments."""
    assert _named(name)() == WHY[name][0].answer
    with pytest.raises(TypeError, match=rf"{name.rpartition('.')[2]}\(\) takes 0 positional arguments"):
        _named(name)(1)


@pytest.mark.parametrize("name", [name for name in ANSWERS if not isinstance(WHY[name][0], Question)])
def test_an_answer(name: str) -> None:
    """Whatever it is asked with; a list is the caller's own."""
    found = _named(name)(1, option=2)
    assert found == WHY[name][0] and (not isinstance(found, list) or found is not _named(name)())


@pytest.mark.parametrize("name", [name for name, (what, *_) in WHY.items() if what is mark])
def test_a_mark(name: str) -> None:
    """What has it stays as it is, with options and without."""
    assert _named(name)(len) is len and _named(name)(option=True)(len) is len and _named(name)()(len) is len


def test_blocks() -> None:
    """They are as blocks are anywhere."""
    for name in (name for name, (what, *_) in WHY.items() if what is block):
        with _named(name)(True) as found:
            assert found == []


def test_the_table() -> None:
    """Every name stands once, in a module of the other table; each has its sentence, and its place in a pickle."""
    names = [name for *_, row in UNAVAILABLE for name in row.split()]
    assert len(names) == len(WHY) and {name.rpartition(".")[0] for name in names} <= {*NAMES}
    assert all(why and not why.endswith(".") for _, why, _ in UNAVAILABLE)
    assert all((_named(name).__doc__ or "").partition("\n")[0].endswith(".") for name in names)


def test_one_class_under_all_its_names() -> None:
    """So that isinstance says the same; programs may derive from it."""
    assert sg.distributed.tensor.DTensor is sg.distributed._tensor.DTensor
    assert sg._dynamo.OptimizedModule is sg._dynamo.eval_frame.OptimizedModule
    assert not isinstance(sg.ones(1), type("Own", (sg.distributed.tensor.DTensor,), {}))
