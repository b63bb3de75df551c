"""`cuda.atomic`, whose operations return the element before them, and what threads of a warp do together: shuffles,
votes and `syncwarp`, each for the lanes that a mask names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .kernel_arrays import Elements
from .limits import WARP, KernelFault


class Atomic:
    """Each operation takes an array, an index and its operand, and `changed` says what becomes of the old element."""

    def add(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old + value)

    def sub(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old - value)

    def max(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: value if value > old else old)

    def min(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: value if value < old else old)

    def and_(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old & value)

    def or_(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old | value)

    def xor(self, array: Elements, index: Any, value: Any) -> Any:
        value = array.converted(value)
        return array.change(index, lambda old: old ^ value)

    def exch(self, array: Elements, index: Any, value: Any) -> Any:
        return array.change(index, lambda old: value)

    def inc(self, array: Elements, index: Any, limit: Any) -> Any:
        limit = array.converted(limit)
        return array.change(index, lambda old: 0 if old >= limit else old + 1)

    def dec(self, array: Elements, index: Any, limit: Any) -> Any:
        limit = array.converted(limit)
        return array.change(index, lambda old: limit if old == 0 or old > limit else old - 1)

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


def ballot(arg: LaneValues) -> Answers:
    return same_for_all(arg, sum(1 << lane for lane, (value, _) in arg.items() if value))


def equal(arg: LaneValues) -> Answers:
    return same_for_all(arg, len({value for value, _ in arg.values()}) == 1)


def alike(arg: LaneValues) -> Answers:
    masks: dict[Any, int] = {}
    for lane, (value, _) in arg.items():
        masks[value] = masks.get(value, 0) | 1 << lane
    return {lane: masks[value] for lane, (value, _) in arg.items()}


OPERATIONS: dict[str, Callable[[LaneValues], Answers]] = {
    "shfl_sync": lambda given: shuffle(given, lambda lane, source: int(source) % WARP),
    "shfl_xor_sync": lambda given: shuffle(given, lambda lane, mask: lane ^ int(mask)),
    "shfl_up_sync": lambda given: shuffle(given, lambda lane, delta: lane - int(delta)),
    "shfl_down_sync": lambda given: shuffle(given, lambda lane, delta: lane + int(delta)),
    "ballot_sync": ballot,
    "all_sync": lambda given: same_for_all(given, all(value for value, _ in given.values())),
    "any_sync": lambda given: same_for_all(given, any(value for value, _ in given.values())),
    "eq_sync": equal,
    "match_any_sync": alike,
    "syncwarp": lambda given: same_for_all(given, None),
}
