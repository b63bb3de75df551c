"""Checkpointed functions that raise, that differ from call to call, and calls of checkpoint that cannot be."""

import contextlib
from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_debug_enabled
from tests.examples import leaf


def test_exception_in_the_function() -> None:
    """An exception comes out of the call, and later calls are not disturbed."""
    x = leaf(0.5)
    with pytest.raises(ZeroDivisionError):
        checkpoint(lambda t: t.exp() / (1 // 0), x, use_reentrant=False)
    y = x.sin()
    assert y.grad_fn._saved_self is x


def test_exception_in_the_repetition() -> None:
    """An exception in the repetition comes out of backward; with retain_graph backward may be run again."""
    x = leaf(0.5)
    fail = [False]

    def f(t: Any) -> Any:
        y = t.exp()
        if fail[0]:
            raise KeyError("second call")
        return y.sin()

    y = checkpoint(f, x, use_reentrant=False)
    fail[0] = True
    with pytest.raises(KeyError, match="second call"):
        y.backward(retain_graph=True)
    fail[0] = False
    y.backward()
    found, x.grad = x.grad, None
    f(x).backward()
    assert sg.equal(found, x.grad)


def varying(*functions: Any) -> Any:
    """A function that is another one each time that it is called."""
    rest = list(functions)
    return lambda t: rest.pop(0)(t)


DIFFERENCES = [
    (lambda t: t.sin().exp(), lambda t: t.sin(), "different number.*\n.*forward: 2\n.*recomputation: 1"),
    (lambda t: t.sin(), lambda t: t[:1].sin(), r"position 0:\nsaved.*Size\(\[2\]\).*\nrecomputed.*Size\(\[1\]\)"),
    (lambda t: t.sin(), lambda t: t.float().sin(), r"saved.*float64.*\nrecomputed.*float32"),
]


@pytest.mark.parametrize(("first", "second", "match"), DIFFERENCES)
def test_calls_that_differ(first: Any, second: Any, match: str) -> None:
    """A second call that saves other tensors is an error that says how they differ."""
    y = checkpoint(varying(first, second), leaf(0.1, 0.2), use_reentrant=False)
    with pytest.raises(CheckpointError, match=match):
        y.sum().backward()


def test_more_in_the_second_call() -> None:
    """Tensors that the second call saves on top are an error if it runs to its end, else nobody knows of them."""
    calls = [lambda t: t.sin(), lambda t: t.sin().exp()]
    checkpoint(varying(*calls), leaf(0.1), use_reentrant=False).backward()
    y = checkpoint(varying(*calls), leaf(0.1), use_reentrant=False, early_stop=False)
    with pytest.raises(CheckpointError, match="trying to save more tensors during recomputation"):
        y.backward()


def test_without_determinism_check() -> None:
    """determinism_check='none' takes other dtypes as they come."""
    x = leaf(0.5)
    y = checkpoint(
        varying(lambda t: t.sin(), lambda t: t.float().sin()), x, use_reentrant=False, determinism_check="none"
    )
    y.backward()
    assert x.grad.item() == pytest.approx(x.cos().item())


@pytest.mark.parametrize("how", ["argument", "context"])
def test_debug_mode(how: str) -> None:
    """In debug mode the error lists the ops of both calls, with the spec's lines and the lines of the program."""
    first, second = lambda t: t.sin().exp(), lambda t: t.sin()
    with set_checkpoint_debug_enabled(True) if how == "context" else contextlib.nullcontext():
        y = checkpoint(varying(first, second), leaf(0.1), use_reentrant=False, debug=how == "argument")
    with pytest.raises(CheckpointError) as found:
        y.backward()
    text = str(found.value)
    assert "in the original forward (2):\n$1: specgrad.float64[1] = sin (derivatives.yaml:" in text
    assert "during recomputation (1):" in text and "first, second = lambda t: t.sin().exp()" in text


ERRORS: list[tuple[type[Exception], str, Any]] = [
    (ValueError, r"should be one of \['default', 'none'\], but got foo", {"determinism_check": "foo"}),
    (ValueError, "Unexpected keyword arguments: foo", {"use_reentrant": True, "foo": 1}),
    (ValueError, "only supported when use_reentrant=False", {"use_reentrant": True, "debug": True}),
    (ValueError, "only supported when use_reentrant=False", {"use_reentrant": True, "context_fn": lambda: None}),
]


@pytest.mark.parametrize(("error", "match", "arguments"), ERRORS)
def test_errors(error: type[Exception], match: str, arguments: Any) -> None:
    """Arguments that do not go together are refused."""
    with pytest.raises(error, match=match):
        checkpoint(sg.exp, leaf(1.0), **{"use_reentrant": False, **arguments})


def test_errors_of_sequential() -> None:
    """So are a number of segments that cannot be, and keywords that nobody takes."""
    for segments in (0, 3):
        with pytest.raises(ValueError, match=f"expected 1 to 2 segments, but got {segments}"):
            checkpoint_sequential([sg.exp, sg.sin], segments, leaf(1.0), use_reentrant=False)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo"):
        checkpoint_sequential([sg.exp], 1, leaf(1.0), use_reentrant=False, foo=1)
