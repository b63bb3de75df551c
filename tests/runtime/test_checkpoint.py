"""checkpoint(use_reentrant=False): the same gradients from recomputed values, and what may differ between the calls."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)


def leaf(*values: float) -> Any:
    """A float64 vector that requires grad."""
    return sg.tensor(values, dtype=sg.float64, requires_grad=True)


class Counted:
    """sin(x * w).exp().tanh(), with a count of its calls, and of those that came to their end."""

    def __init__(self, *weights: float) -> None:
        self.weight = leaf(*weights)
        self.calls = 0
        self.ends = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        y = (x * self.weight).sin().exp().tanh() + 1
        self.ends += 1
        return y


def gradients(run: Any, *leaves: Any) -> list[Any]:
    """The gradients that backward of the sum of run() adds up at the leaves."""
    for x in leaves:
        x.grad = None
    run().sum().backward()
    return [x.grad.tolist() for x in leaves]


def test_gradients_are_those_of_the_plain_call() -> None:
    """Arguments and tensors that the function reaches otherwise get the gradients of the plain call."""
    f, x = Counted(2.0, 3.0), leaf(0.1, 0.2)
    plain = gradients(lambda: f(x), x, f.weight)
    assert gradients(lambda: checkpoint(f, x, use_reentrant=False), x, f.weight) == plain


def test_repeated_once_a_backward_and_only_as_far_as_needed() -> None:
    """Each backward pass calls the function once more, up to the last value that is needed."""
    f, x = Counted(2.0, 3.0), leaf(0.1, 0.2)
    y = checkpoint(f, x, use_reentrant=False)
    assert (f.calls, f.ends) == (1, 1)
    y.sum().backward(retain_graph=True)
    assert (f.calls, f.ends) == (2, 1)
    y.sum().backward()
    assert (f.calls, f.ends) == (3, 1)
    assert x.grad.tolist() == [2 * g for g in gradients(lambda: f(x), x)[0]]


@pytest.mark.parametrize("how", ["argument", "context"])
def test_early_stop_off(how: str) -> None:
    """Without early stop the repetition runs to its end."""
    f, x = Counted(2.0), leaf(0.1)
    with set_checkpoint_early_stop(False) if how == "context" else contextlib.nullcontext():
        y = checkpoint(f, x, use_reentrant=False, early_stop=how == "context")
    y.sum().backward()
    assert f.ends == 2


def test_freed_graph() -> None:
    """Without retain_graph a second backward is the usual error."""
    y = checkpoint(Counted(2.0), leaf(0.1), use_reentrant=False).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_autograd_grad_and_second_order() -> None:
    """autograd.grad and create_graph go through a checkpoint, also for one of several inputs."""
    f, x = Counted(2.0, 3.0), leaf(0.1, 0.2)

    def second(call: Any) -> list[Any]:
        (first,) = sg.autograd.grad(call().sum(), x, create_graph=True)
        return [first.tolist(), *(g.tolist() for g in sg.autograd.grad((first**2).sum(), [x, f.weight]))]

    assert second(lambda: checkpoint(f, x, use_reentrant=False)) == second(lambda: f(x))


def test_gradients_inside_the_function() -> None:
    """The function may differentiate what it computes itself."""
    x = leaf(0.3, 0.4)

    def f(t: Any) -> Any:
        (slope,) = sg.autograd.grad(t.exp().sin().sum(), t, create_graph=True)
        return slope * t

    assert gradients(lambda: checkpoint(f, x, use_reentrant=False), x) == gradients(lambda: f(x), x)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_nested(depth: int) -> None:
    """Checkpoints within checkpoints give the same gradients."""
    f, x = Counted(0.5, 0.7), leaf(0.1, 0.2)

    def nested(n: int, t: Any) -> Any:
        if n == 0:
            return f(t)
        return f(checkpoint(nested, n - 1, t.sin(), use_reentrant=False)) * t

    def plain(n: int, t: Any) -> Any:
        return f(t) if n == 0 else f(plain(n - 1, t.sin())) * t

    assert gradients(lambda: checkpoint(nested, depth, x, use_reentrant=False), x) == gradients(
        lambda: plain(depth, x), x
    )


def test_nested_calls_as_often_as_pytorch() -> None:
    """Two checkpoints in a third: each inner function runs once more, and the first once for the second's argument."""
    f, x = Counted(0.5), leaf(0.1)

    def both(t: Any) -> Any:
        return checkpoint(f, checkpoint(f, t, use_reentrant=False), use_reentrant=False)

    y = checkpoint(both, x, use_reentrant=False)
    y.sum().backward()
    assert f.calls == 5


def test_same_random_numbers() -> None:
    """Dropout in the repetition drops the same elements, and the generator goes on as if there had been none."""
    x = sg.ones(1000, requires_grad=True)
    sg.manual_seed(7)
    y = checkpoint(lambda t: sg.nn.functional.dropout(t * 1, 0.5) * t, x, use_reentrant=False)
    after = sg.get_rng_state()
    y.sum().backward()
    assert sg.equal(x.grad, 2 * y)
    assert sg.equal(sg.get_rng_state(), after)


def test_other_random_numbers() -> None:
    """With preserve_rng_state=False the repetition draws new numbers."""
    x = sg.ones(1000, requires_grad=True)
    y = checkpoint(lambda t: sg.nn.functional.dropout(t * 1, 0.5) * t, x, use_reentrant=False, preserve_rng_state=False)
    y.sum().backward()
    assert not sg.equal(x.grad, 2 * y)


def test_keyword_arguments_and_nested_outputs() -> None:
    """Keywords reach the function, tensors among them; outputs may be nested in any way."""
    x, w = leaf(0.1), leaf(3.0)
    found = checkpoint(lambda t, scale, n: {"a": [(t * scale).exp() * n], "b": n}, x, scale=w, n=2, use_reentrant=False)
    found["a"][0].backward()
    assert found["b"] == 2
    assert x.grad.item() == pytest.approx(6 * sg.exp(sg.tensor(0.3)).item())
    assert w.grad.item() == pytest.approx(0.2 * sg.exp(sg.tensor(0.3)).item())


def test_in_place_and_views_inside() -> None:
    """In-place ops, views and custom Functions inside save and find their tensors."""
    x = leaf(0.3, 0.4, 0.5)

    class Cube(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any) -> Any:
            ctx.save_for_backward(t, t * t)
            return t**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            _, square = ctx.saved_tensors
            return 3 * grad * square

    def f(t: Any) -> Any:
        y = t * 1
        y[0] = 2.0
        y[1:].exp_()
        return Cube.apply(y.view(3, 1)[:2].sin()).prod() * y.sum()

    assert gradients(lambda: checkpoint(f, x, use_reentrant=False), x) == gradients(lambda: f(x), x)


def test_nothing_is_checkpointed_under_no_grad() -> None:
    """Where nothing is recorded the function is called, and that is all."""
    f, x = Counted(2.0), leaf(0.1)
    with sg.no_grad():
        assert not checkpoint(f, x, use_reentrant=False).requires_grad
    assert f.calls == 1


def test_argument_changed_in_place() -> None:
    """An argument that was written to before backward is noticed, like any saved tensor."""
    x = leaf(1.0)
    y = x * 1
    z = checkpoint(sg.exp, y, use_reentrant=False)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_contexts_of_both_calls() -> None:
    """context_fn gives the contexts of the call and of its repetition."""
    log: list[str] = []

    @contextlib.contextmanager
    def named(name: str) -> Iterator[None]:
        log.append(name)
        yield

    f, x = Counted(2.0), leaf(0.1)
    y = checkpoint(f, x, use_reentrant=False, context_fn=lambda: (named("first"), named("again")))
    assert log == ["first"]
    y.sum().backward()
    assert log == ["first", "again"]


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
    assert x.grad.tolist() == gradients(lambda: f(x), x)[0]


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


def test_sequential() -> None:
    """A chain in segments gives the gradients of the plain chain; the last segment is not repeated."""
    steps, x = [Counted(w) for w in (0.5, 0.7, 0.9, 1.1, 1.3)], leaf(0.2)

    def plain() -> Any:
        y = x
        for step in steps:
            y = step(y)
        return y

    leaves = [x, *(step.weight for step in steps)]
    expected = gradients(plain, *leaves)
    for step in steps:
        step.calls = 0
    assert gradients(lambda: checkpoint_sequential(steps, 2, x, use_reentrant=False), *leaves) == expected
    assert [step.calls for step in steps] == [2, 2, 1, 1, 1]
    model = sg.nn.Sequential(sg.nn.Linear(1, 2), sg.nn.Tanh(), sg.nn.Linear(2, 1)).double()
    assert gradients(lambda: checkpoint_sequential(model, 3, x, use_reentrant=False), x) == gradients(
        lambda: model(x), x
    )


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
