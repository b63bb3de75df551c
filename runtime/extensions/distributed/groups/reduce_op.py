"""`ReduceOp`: how a collective joins the tensors of ranks."""

import enum
from typing import Any


class RedOpType(enum.IntEnum):
    """How numbers of several ranks are joined, as PyTorch numbers the ways."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8
    UNUSED = 9

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"


class ReduceOp:
    """How numbers of several ranks are joined, with the factor of PREMUL_SUM.

    SUM, AVG (the sum over the number of ranks), PRODUCT, MIN and MAX (NaN where one is NaN), and for whole numbers and
    bools BAND, BOR and BXOR, bit by bit. bool counts as a bit: its SUM and MAX are `or`, its PRODUCT and MIN `and`.

    Args:
        op: one of the ways.
        factor: what each rank's numbers are multiplied by before they are summed (PREMUL_SUM), a number.

    Example:
        >>> from specgrad import distributed
        >>> distributed.ReduceOp.SUM
        <RedOpType.SUM: 0>
    """

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = tuple(RedOpType)[:-1]  # without UNUSED

    def __init__(self, op: int, factor: Any = None) -> None:
        self.op = self.RedOpType(op)
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReduceOp):
            return self.op == other.op and self.factor == other.factor
        return isinstance(other, RedOpType) and self.op == other

    def __hash__(self) -> int:
        return hash(self.op)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.op.name}>"


def premul_sum(factor: Any) -> ReduceOp:
    """The sum of what ranks have, each times its own factor, a number or a tensor of one: `_make_nccl_premul_sum`."""
    return ReduceOp(RedOpType.PREMUL_SUM, factor.item() if hasattr(factor, "item") else factor)


def checked(call: str, op: Any) -> ReduceOp:
    if isinstance(op, RedOpType):
        op = ReduceOp(op)
    if not isinstance(op, ReduceOp):
        raise TypeError(f"{call}(): argument 'op' must be a ReduceOp, such as ReduceOp.SUM, not {type(op).__name__}")
    if op.op == RedOpType.UNUSED or (op.op == RedOpType.PREMUL_SUM and op.factor is None):
        raise ValueError(f"{call}(): {op.op.name} says no way to join numbers; PREMUL_SUM comes with a factor")
    return op
