"""What threads of a warp do together: shuffles, votes and `syncwarp`, each for the lanes that a mask names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .dims import WARP
from .faults import KernelFault

# Given by each lane: (its value, what says which lane it reads from).
LaneValues = Mapping[int, tuple[Any, Any]]
Answers = dict[int, Any]


def shuffle(arg: LaneValues, source: Callable[[int, Any], int]) -> Answers:
    """The value of another lane for each; a lane outside of the warp stands for the own one."""
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
    """For each lane a bit for every lane with the same value."""
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
