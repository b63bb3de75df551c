"""no_grad, enable_grad, set_grad_enabled and inference_mode: as contexts, as decorators, per thread."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg


def recorded() -> bool:
    """Whether an op on a tensor that requires grad is recorded right now."""
    return bool((sg.ones(1, requires_grad=True) * 2).requires_grad)


def test_no_grad() -> None:
    """Nothing is recorded inside no_grad, leaves made there still may require grad, and the mode comes back."""
    with sg.no_grad():
        assert not recorded() and not sg.is_grad_enabled()
        assert sg.ones(1, requires_grad=True).requires_grad
    assert recorded() and sg.is_grad_enabled()


def test_nesting() -> None:
    """The innermost context decides, and each restores what it found."""
    with sg.no_grad():
        with sg.enable_grad():
            assert recorded()
            with sg.set_grad_enabled(False):
                assert not recorded()
            assert recorded()
        assert not recorded()


def test_one_object_entered_twice() -> None:
    """A context object may be entered again while it is entered."""
    context = sg.no_grad()
    with context:
        with context:
            assert not recorded()
        assert not recorded()
    assert recorded()


def test_restored_after_an_exception() -> None:
    """An exception leaves the mode as it was before."""
    with pytest.raises(KeyError), sg.no_grad():
        raise KeyError
    assert recorded()


def test_set_grad_enabled_acts_at_once() -> None:
    """As a plain call it sets the mode until it is set again."""
    sg.set_grad_enabled(False)
    try:
        assert not recorded()
    finally:
        sg.set_grad_enabled(True)
    assert recorded()


DECORATORS: dict[str, Any] = {
    "no_grad": sg.no_grad,
    "no_grad()": sg.no_grad(),
    "set_grad_enabled(False)": lambda function: sg.set_grad_enabled(False)(function),
    "inference_mode()": sg.inference_mode(),
    "inference_mode": sg.inference_mode,
}


@pytest.mark.parametrize("name", DECORATORS)
def test_decorator(name: str) -> None:
    """As a decorator, with or without parentheses, it holds in each call and only there, also in recursion."""
    decorate = DECORATORS[name]

    @decorate
    def depth(n: int) -> list[bool]:
        """What the mode is at each depth."""
        return [recorded()] if n == 0 else [recorded(), *depth(n - 1), recorded()]

    assert recorded()
    assert depth(2) == [False] * 5
    assert depth.__doc__ == "What the mode is at each depth."
    assert recorded()


def test_decorated_method() -> None:
    """A decorated method gets its instance."""

    class Model:
        @sg.no_grad()
        def look(self, other: bool) -> tuple[Any, bool, bool]:
            return self, other, recorded()

    model = Model()
    assert model.look(True) == (model, True, False)


def test_decorated_generator() -> None:
    """A generator runs in the mode, the code that consumes it does not; send, throw and close reach it."""
    log: list[Any] = []

    @sg.no_grad()
    def numbers() -> Iterator[Any]:
        try:
            log.append((yield recorded()))
            try:
                yield recorded()
            except ValueError:
                yield ("caught", recorded())
            yield 4
        finally:
            log.append(("closed", recorded()))

    generator = numbers()
    assert next(generator) is False and recorded()
    assert generator.send("sent") is False and recorded()
    assert generator.throw(ValueError()) == ("caught", False) and recorded()
    generator.close()
    assert log == ["sent", ("closed", False)]
    assert list(numbers()) == [False, False, 4]


def test_inference_mode() -> None:
    """inference_mode is no_grad that can be asked for; inference_mode(False) turns it off inside."""
    with sg.inference_mode():
        assert sg.is_inference_mode_enabled() and not recorded()
        with sg.inference_mode(False):
            assert not sg.is_inference_mode_enabled()
    assert not sg.is_inference_mode_enabled() and recorded()


def test_modes_are_per_thread() -> None:
    """A thread starts with recording on, whatever its parent has set, and does not change its parent's mode."""
    found = []

    def work() -> None:
        found.append(recorded())
        sg.set_grad_enabled(False)
        found.append(recorded())

    with sg.no_grad():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert not recorded()
    assert found == [True, False]
    assert recorded()


def test_in_place_under_no_grad() -> None:
    """A leaf may be written to under no_grad; it stays a leaf that requires grad."""
    x = sg.ones(2, requires_grad=True)
    with sg.no_grad():
        x.mul_(3)
        x[0] = 7.0
    assert x.is_leaf and x.requires_grad
    assert x.tolist() == [7.0, 3.0]


def test_views_under_no_grad() -> None:
    """A view made under no_grad shares memory and requires grad as its base does, but no gradient comes through it."""
    x = sg.ones(2, 2, requires_grad=True)
    with sg.no_grad():
        row = x[0]
    assert row.requires_grad and row.is_leaf
    (row * 2).sum().backward()
    assert x.grad is None and row.grad is None
    with sg.no_grad():
        row.zero_()
    assert x.tolist() == [[0.0, 0.0], [1.0, 1.0]]


def test_argument_by_name() -> None:
    """set_grad_enabled takes `mode` by name, as PyTorch's."""
    x = sg.ones(1, requires_grad=True)
    with sg.set_grad_enabled(mode=False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad


@pytest.mark.parametrize("value", [1, 0, "True", None, recorded])
def test_set_grad_enabled_takes_a_bool(value: Any) -> None:
    """Anything but a bool is refused, and nothing is switched; so is a function, for the setting is not given."""
    with pytest.raises(TypeError, match="must be bool, not"):
        sg.set_grad_enabled(value)
    assert recorded()


def test_enable_grad_in_inference_mode() -> None:
    """Nothing is recorded in inference mode, whatever is switched on inside it, but for an ordinary block."""
    with sg.inference_mode():
        with sg.enable_grad(), sg.set_grad_enabled(True):
            assert not recorded()
        with sg.inference_mode(False):
            assert recorded()
        assert not recorded()
    assert recorded()


def test_decorated_class() -> None:
    """Decorating a class warns; it is its constructor that then runs in the mode."""
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated") as found:

        @sg.no_grad()
        class Model:
            def __init__(self) -> None:
                self.made = recorded()

            def run(self) -> bool:
                return recorded()

    assert found[0].filename == __file__
    assert Model().made is False
    assert Model().run() is True


def test_decorated_coroutine() -> None:
    """As in PyTorch the mode holds while a coroutine is made, not while it runs."""

    @sg.no_grad()
    async def work() -> bool:
        return recorded()

    assert asyncio.run(work()) is True


def test_generator_that_returns() -> None:
    """What a decorated generator returns is handed on, also through yield from."""

    @sg.no_grad()
    def inner() -> Any:
        yield recorded()
        return "done"

    def outer() -> Any:
        yield (yield from inner())

    assert list(outer()) == [False, "done"]


def test_repr() -> None:
    """A set_grad_enabled object shows its setting."""
    assert repr(sg.set_grad_enabled(True)) == "specgrad.autograd.grad_mode.set_grad_enabled(mode=True)"


def test_backward_under_no_grad() -> None:
    """Backward does its work in no_grad too, and records under create_graph; the mode afterwards is what it was."""
    x = sg.tensor([2.0], requires_grad=True)
    y = x * x
    with sg.no_grad():
        (first,) = sg.autograd.grad(y, x, create_graph=True)
        assert not sg.is_grad_enabled()
        y.backward(retain_graph=True)
    assert first.requires_grad and not x.grad.requires_grad


def test_names_in_autograd() -> None:
    """The switches are found where PyTorch has them."""
    from specgrad.autograd import grad_mode

    assert grad_mode.no_grad is sg.no_grad and grad_mode.inference_mode is sg.inference_mode
