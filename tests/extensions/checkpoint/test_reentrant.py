"""checkpoint(use_reentrant=True), the older variant: what it computes, what it warns of and what it refuses."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.checkpoint import check_backward_validity, checkpoint, checkpoint_sequential, detach_variable
from tests.examples import leaf


def inner(t: Any) -> Any:
    return (t * t).sin()


def nested(t: Any) -> Any:
    """Three checkpoints, two of them within the third."""
    return checkpoint(
        lambda u: checkpoint(inner, u, use_reentrant=True) * u,
        checkpoint(inner, t, use_reentrant=True),
        use_reentrant=True,
    )


def test_gradients_are_those_of_the_plain_call() -> None:
    """Nested checkpoints give the gradients of the plain computation, and of parameters that functions reach."""
    x, same = leaf(0.3, 0.7), leaf(0.3, 0.7)
    nested(x).sum().backward()
    (inner(inner(same)) * inner(same)).sum().backward()
    assert x.grad.tolist() == pytest.approx(same.grad.tolist())
    model = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.Tanh(), sg.nn.Linear(3, 1)).double()
    checkpoint_sequential(model, 2, x, use_reentrant=True).backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).backward()
    assert all(sg.equal(g, p.grad) for g, p in zip(found, model.parameters(), strict=True))


def test_several_backward_passes() -> None:
    """With retain_graph the function is called again in each backward."""
    x = leaf(0.5)
    calls: list[Any] = []

    def f(t: Any) -> Any:
        calls.append(t)
        return t.exp()

    y = checkpoint(f, x, use_reentrant=True)
    assert not y.grad_fn.next_functions[0][0].metadata
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 3
    assert x.grad.item() == pytest.approx(2 * x.exp().item())


def test_same_random_numbers() -> None:
    """Dropout in the repetition drops the same elements."""
    x = sg.ones(1000, requires_grad=True)
    y = checkpoint(lambda t: sg.nn.functional.dropout(t * 1, 0.5) * t, x, use_reentrant=True)
    state = sg.get_rng_state()
    y.sum().backward()
    assert sg.equal(x.grad, 2 * y)
    assert sg.equal(sg.get_rng_state(), state)


def test_several_outputs_and_other_arguments() -> None:
    """Outputs in a tuple and arguments that are no tensors pass through; outputs without gradient are left out."""
    x = leaf(2.0)

    def f(t: Any, n: int, names: list[str]) -> Any:
        return t**n, t.detach(), len(names)

    power, other, count = checkpoint(f, x, 3, ["a"], use_reentrant=True)
    (power + other).backward()
    assert count == 1
    assert x.grad.item() == 12.0


@pytest.mark.parametrize(
    "run", [lambda x, y: sg.autograd.grad(y, x), lambda x, y: y.backward(inputs=[x])], ids=["grad", "inputs"]
)
def test_only_for_backward(run: Any) -> None:
    """autograd.grad and backward(inputs=) cannot get through, and say so."""
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match=r"incompatible with .grad\(\) or passing an `inputs` parameter"):
        run(x, checkpoint(inner, x, use_reentrant=True))
    checkpoint(inner, x, use_reentrant=True).backward()
    assert x.grad is not None


def test_output_without_gradient() -> None:
    """A function none of whose outputs requires grad is an error in backward."""
    y = checkpoint(lambda t: t.detach() * 2, leaf(1.0), use_reentrant=True)
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        y.backward()


def test_input_without_gradient() -> None:
    """Where no argument requires grad there is a warning, and no graph."""
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        assert not checkpoint(inner, sg.ones(1), use_reentrant=True).requires_grad
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        check_backward_validity([1, sg.ones(1)])
    check_backward_validity([1, leaf(1.0)])


def test_variant_must_be_named() -> None:
    """Without use_reentrant this variant is taken, with a warning that points at the call."""
    x = leaf(1.0)
    for call in (lambda: checkpoint(inner, x), lambda: checkpoint_sequential([inner], 1, x)):
        with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly") as found:
            call()
        assert found[0].filename == __file__
    with pytest.warns(UserWarning, match="explicitly"):
        assert checkpoint(inner, x).grad_fn.name() == "CheckpointFunctionBackward"


def test_detach_variable() -> None:
    """Tensors are detached but still require grad where they did; all else stays."""
    x, n = leaf(1.0) * 2, sg.ones(1)
    found = detach_variable((x, n, "a"))
    assert found[0].is_leaf and found[0].requires_grad and found[0].data_ptr() == x.data_ptr()
    assert not found[1].requires_grad and found[2] == "a"
    with pytest.raises(RuntimeError, match="Only tuple of tensors is supported.*list"):
        detach_variable([x])  # type: ignore[arg-type]


def test_as_pytorch() -> None:
    """Values, gradients, warnings and errors of both variants are PyTorch's."""
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torch.utils.checkpoint")
    ours = sg.utils.checkpoint

    def run(lib: Any, module: Any, reentrant: bool) -> list[Any]:
        x = lib.tensor([0.1, 0.2], dtype=lib.float64, requires_grad=True)
        calls: list[int] = []

        def f(t: Any) -> Any:
            calls.append(1)
            return (t.sin() * t).exp()

        y = module.checkpoint(f, module.checkpoint(f, x, use_reentrant=reentrant), use_reentrant=reentrant)
        y.sum().backward(retain_graph=True)
        first = x.grad.tolist()
        y.sum().backward()
        return [y.tolist(), first, x.grad.tolist(), len(calls)]

    for reentrant in (True, False):
        for mine, other in zip(run(sg, ours, reentrant), run(torch, theirs, reentrant), strict=True):
            assert mine == pytest.approx(other, rel=1e-12)
