"""`_check` and its like, keys of the dispatcher, and what libraries register when they are imported."""

from typing import Any

import pytest

import specgrad as sg

ERRORS = {
    "_check": RuntimeError,
    "_check_index": IndexError,
    "_check_value": ValueError,
    "_check_type": TypeError,
    "_check_not_implemented": NotImplementedError,
}


@pytest.mark.parametrize("name", ERRORS)
def test_conditions(lib: Any, name: str) -> None:
    """A condition that does not hold is an error of the function's class, with the message that was asked for."""
    check = getattr(lib, name)
    check(True, lambda: 1 / 0)
    with pytest.raises(ERRORS[name], match="^seven$"):
        check(False, lambda: "seven")
    with pytest.raises(ERRORS[name], match="Expected cond to be True"):
        check(False)
    with pytest.raises(TypeError, match="cond must be a bool"):
        check(1)
    with pytest.raises(TypeError, match="message must be a callable"):
        check(False, "seven")


def test_conditions_of_sizes_and_tensors(lib: Any) -> None:
    """Sizes are not negative, all elements of a tensor of bools are true."""
    lib._check_tensor_all(lib.tensor([True, True]))
    with pytest.raises(RuntimeError):
        lib._check_tensor_all(lib.tensor([True, False]))
    with pytest.raises(KeyError, match="k"):
        lib._check_tensor_all_with(KeyError, lib.tensor([False]), lambda: "k")
    with pytest.raises(TypeError, match="must be a tensor"):
        lib._check_tensor_all(True)
    with pytest.raises(TypeError, match="must have dtype torch.bool"):
        lib._check_tensor_all(lib.tensor([1]))
    sg._check_is_size(3, max=3)
    with pytest.raises(RuntimeError):
        sg._check_is_size(-1)


def test_keys_that_are_left_out(lib: Any) -> None:
    """Without autocast's keys a block casts nothing, without those of autograd it records nothing."""
    keys = lib._C.DispatchKey
    both = lib._C.DispatchKeySet(keys.AutocastCPU) | lib._C.DispatchKeySet(keys.AutocastCUDA)
    assert both.has(keys.AutocastCPU) and not both.has(keys.Autograd)
    x = lib.ones(2, 2)
    with lib.autocast("cpu"):
        assert (x @ x).dtype is lib.bfloat16
        with lib._C._ExcludeDispatchKeyGuard(both):
            assert (x @ x).dtype is lib.float32
        assert (x @ x).dtype is lib.bfloat16
    with pytest.raises(NotImplementedError):
        sg._C._ExcludeDispatchKeyGuard(sg._C.DispatchKeySet(sg._C.DispatchKey.CPU))


def test_parts_of_an_op_that_nobody_has_defined() -> None:
    """They wait for the definition; until then the op cannot be run."""
    sg.library.register_fake("waiting::op", lambda x: x.clone())
    sg.library.register_autograd("waiting::op", lambda ctx, grad: 3 * grad)
    with pytest.raises(NotImplementedError, match="waiting::op"):
        sg.ops.waiting.op(sg.ones(1))
    sg.library.define("waiting::op", "(Tensor x) -> Tensor")
    sg.library.impl("waiting::op", "CPU", lambda x: x * 3)
    x = sg.ones(1, requires_grad=True)
    y = sg.ops.waiting.op(x)
    y.backward()
    assert y.item() == 3.0 and x.grad is not None and x.grad.item() == 3.0
    with pytest.raises(RuntimeError, match="defined already"):
        sg.library.define("waiting::op", "(Tensor x) -> Tensor")


def test_functions_of_the_older_exporter() -> None:
    """They are registered and never asked."""
    from specgrad.onnx.symbolic_helper import parse_args

    from specgrad.onnx import symbolic_opset11

    function = parse_args("v", "f")(lambda g, x: symbolic_opset11.unsqueeze(g, x, 0))
    sg.onnx.register_custom_op_symbolic("mine::op", function, 11)
    with pytest.raises(RuntimeError, match="domain::name"):
        sg.onnx.register_custom_op_symbolic("mine", function, 11)
    with pytest.raises(RuntimeError, match="no graphs of TorchScript"):
        function(None, None)
    assert sg.onnx.operators.shape_as_tensor(sg.ones(2, 3)).tolist() == [2, 3]
