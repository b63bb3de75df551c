"""The gradients of a node by the kernel of its op: plans and launches, found by what the node keeps."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...autograd.saved_tensors import unpack, unpack_list
from ...device.device import CPU
from ...device.threads.job import STANDING
from ...fast_path import fast_path
from ...kernels.cpu.plan import Layout, Mask, Plan
from ...tensor.dtypes import bool_, dtype, int64
from ...tensor.grad_mode import current_version
from ...tensor.tensor import TensorBase
from ..devices import at_array
from .device_plan import dry_run_gradients
from .general import array_in, array_of, arrays_in, arrays_of, stored_in, stored_of
from .kernel_op import (
    MAX_INDICES,
    as_known,
    is_in_pairs,
    layout_of_index,
    may_be_key,
    operand_arg_kinds,
    plan_for,
    plan_of,
    table_of,
)

TENSORS = "gkr"  # letters of operands that are tensors
CACHED_BLOCKS = "kr"


def matches_saved(node: Any, read: "Read", grad: Any) -> bool:
    """Whether a node finds a tensor as it kept it, or kept none: hooks may have packed it, or somebody written to it.

    Plans are for the gradient's dtype, and for indices of int64, those of 16-bit floats for float32, too. What keeps a
    dtype of its own is an index or a mask; launches on devices know the dtype."""
    tensor, slot = getattr(node, read.slot), read.slot
    if tensor is None:
        return True
    if not isinstance(tensor, TensorBase):
        return False
    if read.arg_kind == "r":
        mask = isinstance(layout_of_index(tensor), Mask)
        fits = tensor._dtype is int64 or mask or grad._device is not CPU
    else:
        fits = tensor._dtype in (grad._dtype, grad._dtype.compute, int64) or grad._device is not CPU
    if not fits:
        return False
    return current_version(tensor) == getattr(node, f"{slot}_version")


def match_saved(node: Any, slot: str) -> bool:
    indices, versions = getattr(node, slot), getattr(node, f"{slot}_version")
    if not isinstance(indices, (list, tuple)) or not 1 <= len(indices) <= MAX_INDICES:
        return False
    return all(
        index is None or (index._dtype is int64 and current_version(index) == version)
        for index, version in zip(indices, versions, strict=True)
    )


class Read(NamedTuple):
    arg_kind: str
    slot: Any  # its name; of "e" several
    part: Any = None  # what is made of a value; the constant; which of several outputs the gradient is of

    def of(self, grad: Any) -> Any:
        return grad if self.part is None else grad[self.part]

    def parts(self, value: Any) -> Sequence[Any]:
        """The parts of a key, or pairs of them, that a value stands for."""
        if self.arg_kind == "i":
            return tuple(value)
        return (value if self.arg_kind in TENSORS else (value,),)

    def operand(self, value: Any) -> Any:
        if self.arg_kind in "cg":
            return value if self.arg_kind == "g" else self.part
        return self.part(value) if self.part else value


class KernelOpGradient:
    """The kernel of a node's `apply`; `reads` says for each operand what it is, and in which slot of the node.

    w: which gradients are wanted; g: the gradient, or that of one of several outputs; k: a kept tensor; r: one that
    keeps its dtype or is not there (on the host an index or a contiguous mask); i: a kept list of indices (as the last
    one); l: one of tensors; v: a value, or what a function makes of it; c: a constant; e: what a function makes of
    several slots, of which "" is the gradient. Without `find`, launches on devices alone; with l or e none."""

    def __init__(
        self, find: Callable[..., Plan | None] | None, kernel: Callable[..., Any], *reads: tuple[Any, ...]
    ) -> None:
        self.find = find
        self.kernel = kernel
        self.reads = tuple([Read(*read) for read in reads])
        self.may_plan = not any(read.arg_kind in "le" for read in self.reads)
        self.cached: dict[Any, Any] = {}
        self.cached_bfloat16: dict[Any, Any] = {}  # likewise
        self.cached_float16: dict[Any, Any] = {}
        self.launches: dict[Any, dict[Any, Any]] = {}  # on devices, by dtype: likewise
        self.node: Any = None

    def __set_name__(self, node: type, name: str) -> None:
        self.node = node

    def __getattr__(self, name: str) -> Any:
        if name != "gradients":
            raise AttributeError(name)
        self.gradients = fast_path().planned_gradients(self)
        return self.gradients

    def planned(self, node: Any, grads: Any, grad: Any) -> Any:
        """The gradients by a plan, None without one. `grads`: those of all outputs; `grad`: what kernels are given."""
        if not self.may_plan or (self.find is None and isinstance(grad, list)):
            return None
        result = self.gradients(node, grads)
        if result is None and self.remember(node, grad):
            result = self.gradients(node, grads)
        return result

    def arrays(self, node: Any, grad: Any, dtype: dtype) -> Any:
        """What the kernel makes of what a node keeps."""
        is_list = isinstance(grad, list)
        grad = arrays_in(grad, dtype) if is_list else (stored_in if node.stored else array_in)(grad, dtype)
        operands = []
        for read in self.reads:
            if read.arg_kind != "g":
                operands.append(self.operand(read, node, grad, dtype))
            elif not is_list or read.part == node.differentiable[0]:
                operands.append(grad)
        return at_array(grad, self.kernel)(*operands)

    def operand(self, read: Read, node: Any, grad: Any, dtype: dtype) -> Any:
        match read.arg_kind:
            case "w":
                return tuple([edge is not None for edge in node.edges])
            case "c":
                return read.part
            case "v":
                value = getattr(node, read.slot)
                return read.part(value) if read.part else value
            case "i" | "l":
                return arrays_of(unpack_list(node, read.slot), dtype)
            case "e":
                return read.part(*[self.slot_value(slot, node, grad, dtype) for slot in read.slot])
        return (stored_of if node.stored else array_of)(unpack(node, read.slot), dtype)

    def slot_value(self, slot: str, node: Any, grad: Any, dtype: dtype) -> Any:
        if slot in node.keeps:
            return array_of(unpack(node, slot), dtype)
        return getattr(node, slot) if slot else grad

    def remember(self, node: Any, grad: Any) -> bool:
        """Whether there is a plan. `grad` is a list where several outputs may have gradients."""
        is_sequence = isinstance(grad, (list, tuple))
        grads = [part for part in grad if part is not None] if is_sequence else [grad]
        first = grads[0]
        on_host = first._device is CPU
        if on_host and (self.find is None or not first._dtype.planned):
            return False
        if any(part._dtype is not first._dtype or part._device is not first._device for part in grads):
            return False
        if not all(matches_saved(node, read, first) for read in self.reads if read.arg_kind in CACHED_BLOCKS):
            return False
        if not all(on_host and match_saved(node, slot) for arg_kind, slot, _ in self.reads if arg_kind == "i"):
            return False
        values = [self.value(read, node, grad) for read in self.reads]
        parts = [part for read, value in zip(self.reads, values, strict=True) for part in read.parts(value)]
        key = tuple([part for both in parts for part in in_key(both)])
        if not may_be_key(key):
            return False
        if not on_host:
            return dry_run_gradients(self, key, node, grad, first)
        table = table_of(self, first._dtype)
        return plan_for(table, key, lambda: self.plan(node, values, first._dtype)) is not None

    def value(self, read: Read, node: Any, grad: Any) -> Any:
        """What a key has of an operand: layouts, values as they were kept, and the bits of wanted gradients."""
        if read.arg_kind == "w":
            return sum(1 << i for i, edge in enumerate(node.edges) if edge is not None)
        if read.arg_kind in "vc":
            return getattr(node, read.slot) if read.slot else None
        if read.arg_kind == "i":
            return as_known("J", getattr(node, read.slot))
        tensor = read.of(grad) if read.arg_kind == "g" else getattr(node, read.slot)
        if tensor is None or read.arg_kind == "r":
            return as_known("R", tensor)
        return Layout(tensor._shape, None if read.arg_kind == "g" and self.needs_rows(tensor) else tensor._strides)

    def needs_rows(self, grad: Any) -> bool:
        """Whether native code brings a gradient into rows first: see `with_rows` there."""
        if grad._strides is None or any(grad._strides) or grad._device is not CPU:
            return False
        return not getattr(self.find, "of_any_layout", False) and grad.numel() >= STANDING

    def plan(self, node: Any, values: Sequence[Any], computed: dtype) -> Any:
        outputs = len(node.edges)
        known, arg_kinds, tensors = [], "", ""
        for read, value in zip(self.reads, values, strict=True):
            is_mask = read.arg_kind == "w"
            known.append(tuple([value >> i & 1 == 1 for i in range(outputs)]) if is_mask else read.operand(value))
            arg_kinds += arg_kind_of(read, node, value, computed)
            tensors += arg_kinds[-1] if read.arg_kind in TENSORS else "v"
        plan = plan_of(self.find, known, known, tensors, outputs, is_in_pairs(computed)) if self.find else None
        if plan is None:
            return None
        if self.reads[-1].arg_kind == "i":
            values = [*values[:-1], *values[-1]]
            arg_kinds = arg_kinds[:-1] + "I" * (len(values) - len(arg_kinds) + 1)
        singles = None if computed.native else 0
        try:
            return fast_path().call_plan(plan, values, arg_kinds, outputs, (), singles, is_in_pairs(computed))
        except ValueError:  # as there are for calls
            return None


def in_key(both: Any) -> tuple[Any, ...]:
    """A mask has its dtype for strides."""
    if both is None:
        return None, None
    return (both.shape, bool_) if isinstance(both, Mask) else both[:2]


def arg_kind_of(read: Read, node: Any, value: Any, computed: dtype) -> str:
    """T: the gradient's dtype, and all that is no tensor; I: indices; B: a mask; C: float32 beside 16-bit floats."""
    if read.arg_kind == "r":
        return operand_arg_kinds("R", [value])
    if read.arg_kind != "k" or value is None:
        return "T"
    own = getattr(node, read.slot)._dtype
    return "I" if own is int64 else "T" if own is computed else "C"
