"""An op with a kernel of its own: the plans that it has found, by layouts and arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from ..kernels.cpu.plan import Layout, Plan
from ..tensor.base import TensorBase
from ..tensor.devices import CPU
from ..tensor.dtypes import int64
from .device_kernel_op import rehearse_gradients, rehearse_op
from .fast_path import fast_path

MOST = 4096  # plans of one op; then it forgets all of them
MOST_LISTED = 16  # tensors in a list


class KernelOp:
    """An op whose kernel has plans; `launch(*arguments)` is native code that looks one up and runs it.

    `letters` say what each argument is: T a tensor, O one or None, I one of int64, L a list of them (as the first
    argument), n an int, b a bool, d ints or an int, f a number. `find` makes a plan of layouts and of the other
    arguments as checked, or None. `found` keeps (plan's words, shapes, arguments as checked) by layouts and arguments
    as given.
    """

    __slots__ = ("find", "found", "kernel", "launch", "launches", "letters", "name", "node", "operands", "outputs")

    def __init__(
        self,
        name: str,
        find: Callable[..., Plan | None],
        kernel: Callable[..., Any],
        node: Any,
        operands: dict[str, str],
        outputs: int = 1,
    ) -> None:
        self.name = name
        self.find = find
        self.kernel = kernel
        self.node = node
        self.operands = tuple(operands)
        self.letters = "".join(operands.values())
        self.outputs = outputs
        self.found: dict[Any, Any] = {}
        self.launches: dict[Any, dict[Any, Any]] = {}  # on devices, by dtype: likewise

    def __getattr__(self, name: str) -> Any:
        if name != "launch":
            raise AttributeError(name)
        self.launch = fast_path().kernel_op(self)
        return self.launch

    def remember(self, given: Sequence[Any], checked: Sequence[Any]) -> bool:
        """Find the plan of a call, for the arguments as given and as checked; whether there is one."""
        on_device = "L" not in self.letters and checked[0]._device is not CPU
        if not self.fits(checked, on_device):
            return False
        if on_device:
            return rehearse_op(self, given, checked)
        key = self.key(checked)
        plan = plan_for(self.found, key, lambda: self.plan(checked))
        with contextlib.suppress(TypeError):  # of a list among the arguments
            self.found[self.key(given)] = plan
        return plan is not None

    def key(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The key under which the plan for these arguments is kept."""
        pairs = zip(self.letters, arguments, strict=True)
        return tuple([part for letter, argument in pairs for part in parts_of_key(letter, argument)])

    def fits(self, given: Sequence[Any], on_device: bool = False) -> bool:
        """Whether all tensors are of one native dtype, on a device of one for real numbers, or indices."""
        tensors = given[0] if self.letters[0] == "L" else ()
        tensors = [*tensors, *(a for letter, a in zip(self.letters, given, strict=True) if letter in "TO")]
        dtypes = {tensor._dtype for tensor in tensors if tensor is not None}
        indices = all(a._dtype is int64 for letter, a in zip(self.letters, given, strict=True) if letter == "I")
        if not indices or len(tensors) > MOST_LISTED or len(dtypes) != 1:
            return False
        dtype = dtypes.pop()
        return dtype.native or (on_device and dtype.kind == "f")

    def plan(self, checked: Sequence[Any]) -> Any:
        """The words of the plan for a call; None where the op has none for it."""
        known = [as_known(letter, a) for letter, a in zip(self.letters, checked, strict=True)]
        plan = self.find(*known)
        if plan is None:
            return None
        own = [None if letter in "TOIL" else a for letter, a in zip(self.letters, checked, strict=True)]
        if "L" in self.letters:
            return fast_path().call_plan(plan, known[0], "T" * MOST_LISTED, self.outputs, own)
        return fast_path().call_plan(plan, known, self.letters, self.outputs, own)


def plan_for(found: dict[Any, Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """The plan that is kept under a key, which `make` gives where there is none yet."""
    plan = found.get(key, found)  # another thread may make the op forget its plans at any time
    if plan is found:
        plan = make()
        if len(found) >= MOST:
            found.clear()
        found[key] = plan
    return plan


def as_known(letter: str, argument: Any) -> Any:
    """An argument as a plan is found by it: layouts in the place of tensors."""
    if letter == "L":
        return tuple([Layout(t._shape, t._strides) for t in argument])
    return Layout(argument._shape, argument._strides) if letter in "TOI" and argument is not None else argument


def parts_of_key(letter: str, argument: Any) -> tuple[Any, ...]:
    """The parts of a key that stand for an argument."""
    if letter == "L":
        return tuple([part for t in argument for part in (t._shape, t._strides)])
    if letter in "TOI":
        return (None, None) if argument is None else (argument._shape, argument._strides)
    return (argument,)


def is_as_kept(node: Any, slot: str, grad: Any) -> bool:
    """Whether a node finds a tensor as it kept it, or kept none: hooks may have packed it, and somebody written to it,
    as a layout changes in place; then it is for `unpack`. Plans are for the gradient's dtype, and for indices of int64:
    one that was found for another would be found by layouts alone."""
    tensor = getattr(node, slot)
    if tensor is None:
        return True
    if not isinstance(tensor, TensorBase) or not (tensor._dtype is grad._dtype or tensor._dtype is int64):
        return False
    writes = tensor._writes
    return writes is None or writes[0] == getattr(node, f"{slot}_version")


class KernelOpGradient:
    """The kernel of a node's `apply`: `reads` says for each operand what it is, and in which slot of the node.

    w stands for which gradients are wanted, g for the gradient, k for a kept tensor, v for a value.
    """

    __slots__ = ("find", "found", "gradients", "kernel", "launches", "node", "reads")

    def __init__(self, find: Callable[..., Plan | None], kernel: Callable[..., Any], *reads: tuple[str, str]) -> None:
        self.find = find
        self.kernel = kernel
        self.reads = reads
        self.found: dict[Any, Any] = {}
        self.launches: dict[Any, dict[Any, Any]] = {}  # on devices, by dtype: likewise
        self.node: Any = None

    def __getattr__(self, name: str) -> Any:
        if name != "gradients":
            raise AttributeError(name)
        self.gradients = fast_path().planned_gradients(self)
        return self.gradients

    def remember(self, node: Any, grad: Any) -> bool:
        """Find the plan of a node's gradients, so that `gradients` gives them; whether there is one."""
        known = grad._dtype.native or grad._device is not CPU
        if not known or not all(is_as_kept(node, slot, grad) for letter, slot in self.reads if letter == "k"):
            return False
        values = [self.value(letter, slot, node, grad) for letter, slot in self.reads]
        parts = [value if letter in "gk" else (value,) for (letter, _), value in zip(self.reads, values, strict=True)]
        key = tuple([part for both in parts for part in (both or (None, None))])
        self.node = type(node)
        if grad._device is not CPU:
            return rehearse_gradients(self, key, node, grad)
        return plan_for(self.found, key, lambda: self.plan(node, values)) is not None

    def value(self, letter: str, slot: str, node: Any, grad: Any) -> Any:
        """An operand as `find` takes it, but for the wanted gradients: their bits."""
        if letter == "w":
            return sum(1 << i for i, edge in enumerate(node.edges) if edge is not None)
        if letter == "v":
            return getattr(node, slot)
        tensor = grad if letter == "g" else getattr(node, slot)
        return None if tensor is None else Layout(tensor._shape, tensor._strides)

    def plan(self, node: Any, values: Sequence[Any]) -> Any:
        """The words of the plan for a node's gradients; None where there is none."""
        outputs = len(node.edges)
        known = [
            tuple([value >> i & 1 == 1 for i in range(outputs)]) if letter == "w" else value
            for (letter, _), value in zip(self.reads, values, strict=True)
        ]
        plan = self.find(*known)
        if plan is None:
            return None
        kept = [getattr(node, slot) if letter == "k" else None for letter, slot in self.reads]
        letters = "".join("I" if tensor is not None and tensor._dtype is int64 else "T" for tensor in kept)
        return fast_path().call_plan(plan, values, letters, outputs, ())
