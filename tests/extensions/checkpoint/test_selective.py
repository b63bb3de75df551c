"""`create_selective_checkpoint_contexts`: results of some ops are kept, and these ops do not run again."""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.profiler import profile
from specgrad.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts


def function(x: Any, w: Any) -> Any:
    """Some products, and functions of their elements."""
    hidden = sg.mm(x, w).tanh()
    return (sg.mm(hidden, w).sin() * hidden).exp()


def arguments() -> tuple[Any, Any]:
    """Two matrices that require grad."""
    x = np.sin(np.arange(12.0)).reshape(4, 3)
    return tuple(sg.tensor(a).requires_grad_() for a in (x, np.cos(np.arange(9.0)).reshape(3, 3)))  # type: ignore[return-value]


def checkpointed(policy: Any, *args: Any, **kwargs: Any) -> Any:
    """The function, checkpointed by a policy."""
    contexts = partial(create_selective_checkpoint_contexts, policy, **kwargs)
    return checkpoint(function, *args, use_reentrant=False, context_fn=contexts)


POLICIES = [[], [sg.mm], [sg.ops.aten.mm.default, sg.ops.aten.tanh], [sg.mm, sg.tanh, sg.sin, sg.mul, sg.exp]]


@pytest.mark.parametrize("saved", POLICIES, ids=len)
def test_gradients(saved: Any) -> None:
    """Gradients are those without a checkpoint, also the second time and of second order."""
    args = arguments()
    expected = sg.autograd.grad(function(*args).sum(), args)
    y = checkpointed(saved, *args)
    for keep in (True, False):
        found = sg.autograd.grad(y.sum(), args, retain_graph=keep)
        assert all(sg.equal(one, other) for one, other in zip(found, expected, strict=True))

    def penalty(f: Any) -> Any:
        (grad,) = sg.autograd.grad(f(*args).sum(), args[0], create_graph=True)
        return sg.autograd.grad(grad.square().sum(), args)

    for one, other in zip(penalty(partial(checkpointed, saved)), penalty(function), strict=True):
        np.testing.assert_allclose(one.cpu().numpy(), other.cpu().numpy(), rtol=1e-12)


def runs_in_backward(saved: Any) -> Counter[str]:
    """How often ops run in the backward pass, without those of the formulas."""
    y = checkpointed(saved, *arguments())
    with profile() as watched:
        y.sum().backward()
    return Counter(event.name.rpartition("::")[2] for event in watched.events())


def test_what_is_saved_does_not_run_again() -> None:
    """Products and tangents are taken from where they were kept; functions that are not saved run again."""
    without, both = runs_in_backward([]), runs_in_backward([sg.mm, sg.tanh])
    assert without["tanh"] == 1 and both["tanh"] == 0
    assert without["mm"] - both["mm"] == 2 and without["sin"] == both["sin"] == 1


def test_what_policies_are_told() -> None:
    """A policy sees each op with its arguments, in the call and in its repetition."""
    seen: list[Any] = []

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        seen.append((ctx.is_recompute, op, len(args)))
        return CheckpointPolicy.MUST_SAVE if op in {sg.ops.aten.mm.default} else CheckpointPolicy.PREFER_RECOMPUTE

    checkpointed(policy, *arguments()).sum().backward()
    calls = [op for repeated, op, _ in seen if not repeated]
    assert calls == [sg.mm, sg.tanh, sg.mm, sg.sin, sg.mul, sg.exp] and seen[0] == (False, sg.mm, 2)
    again = [op for repeated, op, _ in seen if repeated]
    assert again == calls[: len(again)] and len(again) >= 4


def test_what_was_kept_is_written_to() -> None:
    """A kept result that was written to is an error, unless that is allowed."""

    def writing(x: Any) -> Any:
        y = sg.mul(x, 2.0)
        z = y.sin()
        y.add_(1.0)
        return z * x

    def run(**kwargs: Any) -> None:
        x = sg.ones(3, requires_grad=True)
        contexts = partial(create_selective_checkpoint_contexts, [sg.mul], **kwargs)
        checkpoint(writing, x, use_reentrant=False, context_fn=contexts).sum().backward()

    with pytest.raises(RuntimeError, match="mutated|modified"):
        run()


def test_another_call() -> None:
    """A repetition that runs other ops is an error that names the op."""
    flag = [True]

    def changing(x: Any) -> Any:
        return (sg.mul(x, x) if flag.pop() else sg.mm(x, x)).exp()

    x = sg.ones(2, 2, requires_grad=True)
    flag[:] = [False, True]
    contexts = partial(create_selective_checkpoint_contexts, [sg.mul, sg.mm])
    y = checkpoint(changing, x, use_reentrant=False, context_fn=contexts)
    with pytest.raises(RuntimeError, match="mm encountered during backward"):
        y.sum().backward()


def test_wrong_policies() -> None:
    """A policy is a function or a list, and moves nothing to the CPU."""
    with pytest.raises(TypeError, match="function or a list"):
        create_selective_checkpoint_contexts(3)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="CPU"):
        checkpointed(lambda *args: CheckpointPolicy.MUST_CPU_OFFLOAD, *arguments())
