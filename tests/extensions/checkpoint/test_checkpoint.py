"""checkpoint(use_reentrant=False): the gradients of the plain call, from values that are computed again."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.checkpoint import checkpoint, checkpoint_sequential, set_checkpoint_early_stop
from tests.examples import leaf


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
        (derivative,) = sg.autograd.grad(t.exp().sin().sum(), t, create_graph=True)
        return derivative * t

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
