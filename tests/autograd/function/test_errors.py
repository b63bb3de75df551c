"""What a custom Function does wrong is an error with PyTorch's class and words, and names the Function."""

import pickle
from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf


def make(forward: Any, backward: Any = None, **methods: Any) -> Any:
    """A Function of these static methods."""
    named = {"forward": forward, "backward": backward or (lambda ctx, *g: g[0]), **methods}
    return type("Made", (sg.autograd.Function,), {name: staticmethod(m) for name, m in named.items()})


def double(ctx: Any, x: Any, *_: Any) -> Any:
    return x * 2


@pytest.mark.parametrize(
    ("backward", "expected"),
    [
        (lambda ctx, g: g, "MadeBackward returned an incorrect number of gradients (expected 2, got 1)"),
        (lambda ctx, g: (g, g, g), "MadeBackward returned an incorrect number of gradients (expected 2, got 3)"),
        (lambda ctx, g: (), "MadeBackward returned an incorrect number of gradients (expected 2, got 0)"),
        (lambda ctx, g: None, "MadeBackward returned an incorrect number of gradients (expected 2, got 1)"),
        (lambda ctx, g: [g, g], "MadeBackward returned an incorrect number of gradients (expected 2, got 1)"),
        (lambda ctx, g: (3.0, None), "expected Variable or None (got float)"),
        (lambda ctx, g: (g, "text"), "returned a gradient different than None at position 2, but the corresponding"),
        (lambda ctx, g: (g, g), "returned a gradient different than None at position 2, but the corresponding"),
        (
            lambda ctx, g: (sg.ones(3), None),
            "invalid gradient at index 0 - got [3] but expected shape compatible with [2]",
        ),
        (lambda ctx, g: (sg.ones(()), None), "invalid gradient at index 0 - got [] but expected shape compatible with"),
        (
            lambda ctx, g: (g * 1j, None),
            "invalid gradient at index 0 - got specgrad.complex128 but expected a real dtype",
        ),
    ],
)
def test_wrong_gradients(backward: Any, expected: str) -> None:
    """Number, type, shape and kind of what backward returns are checked."""
    with pytest.raises(RuntimeError) as caught:
        make(double, backward).apply(leaf(1.0, 2.0), 3).sum().backward()
    assert expected in str(caught.value)


def test_right_gradients() -> None:
    """None, trailing None, other real dtypes and shapes that the input broadcasts to are fine."""
    x = leaf(1.0, 2.0)
    for backward, expected in [
        (lambda ctx, g: (g, None, None, None), [1.0, 1.0]),
        (lambda ctx, g: (sg.ones(2), None), [1.0, 1.0]),
        (lambda ctx, g: (sg.ones(2, dtype=sg.int64), None), [1.0, 1.0]),
        (lambda ctx, g: (sg.ones(3, 2), None), [3.0, 3.0]),
    ]:
        x.grad = None
        make(double, backward).apply(x, 3).sum().backward()
        assert x.grad.tolist() == expected and x.grad.dtype is sg.float64
    x.grad = None
    make(double, lambda ctx, g: (None, None)).apply(x, 3).sum().backward()
    assert x.grad is None


def test_missing_and_doubled_methods() -> None:
    """Each method that is missing is named when it is needed; backward and vjp are two names of one."""
    empty = type("Empty", (sg.autograd.Function,), {})
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        empty.apply(leaf(1.0))
    half = type("Half", (sg.autograd.Function,), {"forward": staticmethod(double)})
    with pytest.raises(NotImplementedError, match="implement either the backward or vjp method"):
        half.apply(leaf(1.0)).backward()
    both = make(double, lambda ctx, g: g, vjp=lambda ctx, g: g)
    with pytest.raises(
        RuntimeError, match="Implementing both 'backward' and 'vjp' for a custom Function is not allowed"
    ):
        both.apply(leaf(1.0)).backward()
    x = leaf(1.0)
    type("Vjp", (sg.autograd.Function,), {"forward": double, "vjp": staticmethod(lambda ctx, g: g * 7)}).apply(
        x
    ).backward()
    assert x.grad.item() == 7.0


def test_functions_have_no_instances() -> None:
    """Making one is deprecated, calling it refused."""
    function = make(double)
    with pytest.warns(
        DeprecationWarning, match="should not be instantiated. Methods on autograd functions are all static"
    ):
        instance = function()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"):
        instance(sg.ones(1))
    assert function.forward(None, sg.ones(1)).item() == 2.0


@pytest.mark.parametrize(
    ("message", "error", "expected"),
    [
        (lambda ctx, x: ctx.mark_dirty(3), RuntimeError, "mark_dirty can only accept variables, but argument"),
        (lambda ctx, x: ctx.mark_dirty([x]), RuntimeError, "mark_dirty can only accept variables, but argument"),
        (
            lambda ctx, x: ctx.mark_dirty(x),
            RuntimeError,
            "Some elements marked as dirty during the forward method were",
        ),
        (lambda ctx, x: ctx.mark_non_differentiable(3), RuntimeError, "mark_non_differentiable only accepts variable"),
        (lambda ctx, x: ctx.set_materialize_grads(3), TypeError, "set_materialize_grads"),
        (lambda ctx, x: ctx.save_for_backward(x, 3), TypeError, "only save variables, but argument 1 is of type int"),
        (lambda ctx, x: ctx.save_for_backward([x]), TypeError, "only save variables, but argument 0 is of type list"),
        (
            lambda ctx, x: ctx.save_for_forward(3),
            AssertionError,
            "save_for_forward expects all arguments to be tensors",
        ),
    ],
)
def test_wrong_words_to_ctx(message: Any, error: Any, expected: str) -> None:
    """What forward says through ctx is checked."""
    with pytest.raises(error, match=expected):
        make(lambda ctx, x: message(ctx, x) or x * 2).apply(leaf(1.0) * 1)


def test_changing_a_leaf() -> None:
    """A leaf that requires grad may not be changed by a Function, nor a view of it; under no_grad it may."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(3)

    triple = make(forward, lambda ctx, g: g * 3).apply
    x = leaf(1.0)
    for wrong in (x, x[0:]):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            triple(wrong)
    with sg.no_grad():
        y = triple(x)
    assert not y.requires_grad and x.requires_grad and x.is_leaf and x.item() == 27.0


def test_mark_dirty_of_what_is_no_input() -> None:
    """A warning, and the output has the Function's gradient."""

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_dirty(y)
        return y

    x = leaf(1.0)
    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        y = make(forward, lambda ctx, g: g * 2).apply(x)
    y.backward()
    assert x.grad.item() == 2.0


def test_errors_of_the_user() -> None:
    """Exceptions in forward and backward arrive as they are, and leave the grad mode as it was."""

    def fail(ctx: Any, *_: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        make(fail).apply(leaf(1.0))
    assert sg.is_grad_enabled()
    with pytest.raises(KeyError, match="mine"):
        make(double, fail).apply(leaf(1.0)).backward()
    assert sg.is_grad_enabled()


def test_deprecated_names_of_ctx() -> None:
    """Former names still work, with a warning."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        with pytest.warns(FutureWarning, match="`mark_shared_storage` is deprecated"):
            ctx.mark_shared_storage((x, x))
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated"):
            return g * ctx.saved_variables[0]

    x = leaf(3.0)
    make(forward, backward).apply(x).backward()
    assert x.grad.item() == 3.0


def test_nodes_are_not_pickled() -> None:
    """grad_fn stands for memory of this process."""
    with pytest.raises(TypeError, match="cannot pickle 'MadeBackward' object"):
        pickle.dumps(make(double).apply(leaf(1.0)).grad_fn)
