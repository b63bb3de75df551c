"""What test_comparison.py runs with SPECGRAD_NATIVE=check: programs that agree, and native answers that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import specgrad as sg
from specgrad.runtime.autograd import engine
from specgrad.runtime.fast_path import no_native
from specgrad.runtime.native.check_mode import NativeDifference, compared, compared_native_backward, general_path
from tests.native.cuda.device_programs import PROGRAMS as ON_DEVICE
from tests.native.test_native import PROGRAMS, gradients

retained: list[Any] = []


def keeps_its_argument(x: Any, y: Any) -> Any:
    """The right product, and one reference to `x` too many."""
    retained.append(x)
    return x * y


def wrong_element(x: Any, y: Any) -> Any:
    """A product of which the last element is one too large."""
    result = x * y
    result.array[-1] += 1
    return result


def other_node(x: Any, y: Any) -> Any:
    """The right values, behind the node of another op."""
    return x / (1 / y)


def wrong_saved(x: Any, y: Any) -> Any:
    """The right values, with another tensor saved for the gradient."""
    result = x * y
    result.grad_fn.kept_other = y + 1
    return result


WRONG: dict[str, tuple[Callable[..., Any], str]] = {
    "values": (wrong_element, "values [2.0, 8.0, 33.0] instead of [2.0, 8.0, 32.0]"),
    "dtype": (lambda x, y: (x * y).double(), "float64"),
    "shape": (lambda x, y: (x * y)[None], "(1, 3)"),
    "graph": (lambda x, y: (x * y).detach(), "requires_grad False instead of True"),
    "node": (other_node, "instead of MulBackward0"),
    "saved": (wrong_saved, "saved kept_other"),
    "references": (keeps_its_argument, "references"),
}


def main() -> None:
    """Print how many programs agree and which differences were found."""
    for program in PROGRAMS.values():
        for _ in range(3):  # the first call finds what the next look up
            gradients(program)
    for on_device in ON_DEVICE.values():
        for _ in range(3):
            on_device()
    x, y = sg.tensor([2.0, 4.0, 8.0], requires_grad=True), sg.tensor([1.0, 2.0, 4.0])
    for name, (wrong, message) in WRONG.items():

        def native(*arguments: Any, wrong: Any = wrong) -> Any:
            with general_path():
                return wrong(*arguments)

        try:
            compared(native, "mul", sg.mul)(x, y)
        except NativeDifference as error:
            assert "mul(tensor(specgrad.float32, (3,)), tensor(specgrad.float32, (3,)))" in str(error)
            assert message in str(error), (name, str(error))
            continue
        raise SystemExit(f"{name}: no difference was found")
    wrong_pass = compared_native_backward(
        lambda backward_pass, node, gradient: no_native(backward_pass, node, 2 * gradient)
    )
    engine.native_backward = lambda: wrong_pass  # type: ignore[assignment]
    for start in ((x * y).sum().backward, lambda: sg.autograd.grad((x * y).sum(), x)):
        try:
            start()
        except NativeDifference as error:
            assert "backward from SumBackward0" in str(error) and "[ 4.  8. 16.]" in str(error), str(error)
            continue
        raise SystemExit("a pass: no difference was found")
    z = y.clone()
    try:
        compared(lambda x, y: x.mul_(3), "add_", sg.Tensor.add_, written=0)(z, y)
    except NativeDifference:
        print(f"{len(PROGRAMS)} programs agree, {len(ON_DEVICE)} on a device, {len(WRONG) + 3} differences found")


if __name__ == "__main__":
    main()
