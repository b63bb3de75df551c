"""`cuda.atomic`, whose operations return the element before them, and what threads of a warp do together: shuffles,
votes and `syncwarp`, each for the lanes that a mask names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from .block_memory import Elements
from .limits import WARP, KernelFault


def _atomic(changed: Callable[[Any, Any], Any]) -> Any:
    """An operation on an element; `changed` says what becomes of the old one, of it and the operand."""

    def operation(self: Atomic, array: Elements, index: Any, value: Any) -> Any:
        operand = array.converted(value)
        return array.change(index, lambda old: changed(old, operand))

    return operation


class Atomic:
    add = _atomic(operator.add)
    sub = _atomic(operator.sub)
    max = _atomic(lambda old, value: value if value > old else old)
    min = _atomic(lambda old, value: value if value < old else old)
    and_ = _atomic(operator.and_)
    or_ = _atomic(operator.or_)
    xor = _atomic(operator.xor)
    inc = _atomic(lambda old, limit: 0 if old >= limit else old + 1)
    dec = _atomic(lambda old, limit: limit if old == 0 or old > limit else old - 1)

    def exch(self, array: Elements, index: Any, value: Any) -> Any:
        return array.change(index, lambda old: value)

    def cas(self, array: Elements, index: Any, old: Any, value: Any) -> Any:
        old = array.converted(old)
        return array.change(index, lambda result: value if result == old else result)

    def compare_and_swap(self, array: Elements, old: Any, value: Any) -> Any:
        return self.cas(array, 0, old, value)


# Given by each lane: (its value, what says which lane it reads from).
LaneValues = Mapping[int, tuple[Any, Any]]
Answers = dict[int, Any]


def shuffle(arg: LaneValues, source: Callable[[int, Any], int]) -> Answers:
    answers = {}
    for lane, (value, argument) in arg.items():
        other = source(lane, argument)
        if not 0 <= other < WARP:
            answers[lane] = value
        elif other in arg:
            answers[lane] = arg[other][0]
        else:
            raise KernelFault(f"lane {lane} reads from lane {other}, which takes no part")
    return answers


def same_for_all(value: LaneValues, answer: Any) -> Answers:
    return dict.fromkeys(value, answer)


def alike(arg: LaneValues) -> Answers:
    masks: dict[Any, int] = {}
    for lane, (value, _) in arg.items():
        masks[value] = masks.get(value, 0) | 1 << lane
    return {lane: masks[value] for lane, (value, _) in arg.items()}


OPERATIONS: dict[str, Callable[[LaneValues], Answers]] = {
    "shfl_sync": lambda lanes: shuffle(lanes, lambda lane, source: int(source) % WARP),
    "shfl_xor_sync": lambda lanes: shuffle(lanes, lambda lane, mask: lane ^ int(mask)),
    "shfl_up_sync": lambda lanes: shuffle(lanes, lambda lane, delta: lane - int(delta)),
    "shfl_down_sync": lambda lanes: shuffle(lanes, lambda lane, delta: lane + int(delta)),
    "ballot_sync": lambda lanes: same_for_all(lanes, sum(1 << lane for lane, (value, _) in lanes.items() if value)),
    "all_sync": lambda lanes: same_for_all(lanes, all(value for value, _ in lanes.values())),
    "any_sync": lambda lanes: same_for_all(lanes, any(value for value, _ in lanes.values())),
    "eq_sync": lambda lanes: same_for_all(lanes, len({value for value, _ in lanes.values()}) == 1),
    "match_any_sync": alike,
    "syncwarp": lambda lanes: same_for_all(lanes, None),
}
