"""What vmap does with an op: find the innermost level among its arguments and ask the op's batching rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..lifting import PLAIN, Lifted
from ..user_warning import warn_user
from .call import Call
from .levels import is_running, outside, running_levels
from .refusals import ESCAPED
from .tensor import BatchedMethods

Rule = Callable[[Call], Any]


def intercept(lifted: Lifted) -> Any:
    """The result of an op for all examples; PLAIN where no argument is part of a batch."""
    rule = lifted.rule
    if rule == "random":
        return draw(lifted)
    if rule == "composite" and lifted.function.__name__[-1] != "_":
        return PLAIN  # the ops that it is made of have rules
    level, size = innermost((*lifted.args, *lifted.kwargs.values()) if lifted.kwargs else lifted.args)
    if not level:
        return PLAIN
    with outside(level):
        return compute(call_of(lifted, level, size), rule_of(rule, lifted.name), lifted.kwargs.get("out"))


def innermost(values: Any) -> tuple[int, int]:
    """The largest level among tensors and lists of tensors, and the size of its batch; (0, 0) without any."""
    found = largest(values)
    if found[0] and not is_running(found[0]):
        raise RuntimeError(ESCAPED)
    return found


def largest(values: Any) -> tuple[int, int]:
    """The same, of levels that may not be running."""
    level, size = 0, 0
    for value in values:
        if isinstance(value, BatchedMethods):
            found = value.level, value.value._shape[0]
        elif isinstance(value, (list, tuple)):
            found = largest(value)
        else:
            continue
        if found[0] > level:
            level, size = found
    return level, size


def call_of(lifted: Lifted, level: int, size: int) -> Call:
    """The call as rules see it."""
    kwargs = {name: value for name, value in lifted.kwargs.items() if name != "out" or value is not None}
    return Call(lifted.name, lifted.function, lifted.args, kwargs, level, size)


def compute(call: Call, rule: Rule, out: Any) -> Any:
    """Run a rule and give the function under vmap what the op would have."""
    if call.writes:
        check_written(call)
    elif out is not None:
        raise RuntimeError(f"{call.op}(): out= is not supported under vmap: assign the result instead")
    try:
        result = rule(call)
    except Exception:
        call.run(call.copy_of_example())  # raises the op's own error, about shapes that the user knows
        raise
    return call.first if call.writes else call.wrapped(result)


def check_written(call: Call) -> None:
    """A tensor that all examples share cannot take what differs between them."""
    if not call.is_batched(next(iter(call.arguments))):
        raise RuntimeError(
            f"vmap: {call.function.__name__}(self, *extra_args) is not possible because there exists a Tensor among "
            "extra_args that has more elements than self: it differs between the examples, and self does not. "
            "Use the op that is not in-place"
        )


def rule_of(rule: str, name: str) -> Rule:
    """The rule by name; the loop of an op that has none says so."""
    from . import rules

    if rule == "loop":
        warn_user(
            f"There is a performance drop because we have not yet implemented the batching rule for {name}: vmap calls "
            "it once for each example. Give its entry the key 'batch'"
        )
    return getattr(rules, rule)


def draw(lifted: Lifted) -> Any:
    """Random numbers under vmap: refused, the same for all examples, or others for each."""
    levels = running_levels()
    if not levels:
        return PLAIN
    inner = levels[-1]
    if inner.randomness == "error":
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
            f"'different' randomness flags on vmap or perform the randomness operation out of vmap: {lifted.name}()"
        )
    from . import rules

    level, size = innermost((*lifted.args, *lifted.kwargs.values()))
    with outside(inner.number):
        if inner.randomness == "different":
            return rules.drawn_each(call_of(lifted, inner.number, inner.size))
        if level == inner.number:
            return rules.drawn_once(call_of(lifted, level, size))
        return lifted.function(*lifted.args, **lifted.kwargs)
