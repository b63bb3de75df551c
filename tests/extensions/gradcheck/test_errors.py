"""gradcheck: arguments that are refused or warned about."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg

gradcheck = sg.autograd.gradcheck
both_modes = pytest.mark.parametrize("fast_mode", [False, True])


def point(*values: Any, dtype: Any = sg.float64) -> Any:
    """A tensor that requires grad."""
    return sg.tensor(values, dtype=dtype, requires_grad=True)


def test_single_precision_is_warned_about() -> None:
    """Inputs of single precision are checked, with a warning that counts all arguments and names the caller's line."""
    x = sg.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="Input #1 requires gradient and is not a double precision") as seen:
        assert gradcheck(lambda k, a: a * k, (2.0, x), eps=1e-2, atol=1e-2)
    assert seen[0].filename == __file__


def test_overlapping_inputs_are_refused() -> None:
    """Elements that share their memory cannot be moved one by one; others may overlap."""
    wide = sg.ones(1, dtype=sg.float64).expand(3)
    with pytest.raises(RuntimeError, match="The 1th input has a dimension with stride 0. gradcheck only supports"):
        gradcheck(lambda k, a: a * k, (2.0, wide.detach().requires_grad_()))
    assert gradcheck(lambda a, b: a * b, (wide, point(1.0, 2.0, 3.0)))


def test_at_least_one_input_must_require_grad() -> None:
    """Nothing to check is an error, with raise_exception=False too."""
    for inputs in (sg.ones(2, dtype=sg.float64), None, (), ([point(1.0)],)):
        with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
            gradcheck(lambda *args: args, inputs, raise_exception=False)


def test_func_must_return_tensors() -> None:
    """What func returns is a tensor or a sequence of tensors."""
    with pytest.raises(TypeError, match="expected func to return a Tensor or a sequence of Tensors, but got dict"):
        gradcheck(lambda a: {"a": a}, point(1.0))


def test_switches_that_contradict_each_other() -> None:
    """Something must be checked, and batches of what is not checked cannot be."""
    x = point(1.0)
    with pytest.raises(AssertionError, match="at least one of check_forward_ad or check_backward_ad to be True"):
        gradcheck(sg.sin, x, check_backward_ad=False)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_backward_ad to be True"):
        gradcheck(sg.sin, x, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)
    with pytest.raises(AssertionError, match="check_batched_forward_grad=True requires check_forward_ad to be True"):
        gradcheck(sg.sin, x, check_batched_forward_grad=True)


@both_modes
def test_outputs_must_keep_their_kind(fast_mode: bool) -> None:
    """A function whose outputs change shape, dtype or number from call to call has no differences."""
    x = point(1.0, 2.0, 3.0)
    calls: list[None] = []

    def count() -> int:
        calls.append(None)
        return len(calls) % 2

    with pytest.raises(AssertionError, match="outputs with the same shape when inputs are perturbed .*by 1e-06"):
        gradcheck(lambda a: (a * 2)[count() :], x, fast_mode=fast_mode)
    with pytest.raises(AssertionError, match="outputs with the same dtype when inputs are perturbed .*by 1e-06"):
        gradcheck(lambda a: a * 2 if count() else (a * 2).float(), x, fast_mode=fast_mode)
    with pytest.raises(AssertionError, match="outputs with the same number when inputs are perturbed .*by 1e-06"):
        gradcheck(lambda a: (a * 2,) * (1 + count()), x, fast_mode=fast_mode)
