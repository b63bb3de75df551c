"""Functions that are no ops and have plans all the same, so that small calls run natively: `equal` and `one_hot`."""

from math import prod

import numpy as np

from ...compiler.jit import READ, jit
from ...dispatch.kernel_ops.kernel_op import KernelOp
from ...kernels.cpu.plan import Array, Layout, Plan, Step, are_contiguous, of_any_dtype, with_integers
from ...kernels.llvm.addresses import part_of

BLOCK = 1024  # elements that are compared before the next look whether all have been equal


@jit(halves=READ)
def compare_all(x: Array, other: Array, out: Array) -> None:
    out[0] = True
    for begin in range(0, x.size, BLOCK):
        count, unlike = min(BLOCK, x.size - begin), np.int32(0)
        one, two = part_of(x, begin, count), part_of(other, begin, count)
        for i in range(count):
            unlike += np.int32(one[i] != two[i])
        if unlike:
            out[0] = False
            return


@jit
def mark_classes(index: Array, out: Array, classes: int) -> None:
    for i in range(out.size):
        out[i] = 0
    for i in range(index.size):
        chosen = index[i]  # read once: another thread may write to the indices
        if chosen < 0 or chosen >= classes:
            raise IndexError("a class is out of bounds")
        out[i * classes + chosen] = 1


@of_any_dtype
def all_equal(x: Layout, other: Layout) -> Plan | None:
    if x.shape != other.shape or not prod(x.shape) or not are_contiguous(x, other):
        return None
    return (Step(compare_all, (0, 1), ((0, ()),), masks=(0,)),)


def one_hot_plan(index: Layout, classes: int) -> Plan | None:
    if classes < 1 or not prod(index.shape) or not are_contiguous(index):
        return None
    return (Step(mark_classes, (0,), ((0, (*index.shape, classes)),), ints=(classes,), indices=(0,)),)


@with_integers(one_hot_plan)
def of_floats(index: Layout, classes: int) -> Plan | None:
    """None: classes are whole numbers."""
    return None


EQUAL = KernelOp("equal", all_equal, compare_all, None, {"self": "T", "other": "T"}, dtypes=("bool",))
ONE_HOT = KernelOp("one_hot", of_floats, mark_classes, None, {"tensor": "T", "num_classes": "n"}, dtypes=("int64",))
