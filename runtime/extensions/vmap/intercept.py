"""vmap's interception of ops: the innermost level among the arguments, and the op's batching rule by the name in the
spec. Calls may be made again later, when the vmaps that they were made in are over.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from ...errors import warn_user
from ...tensor.observers import NOT_HANDLED, OpCall
from . import rules_general, rules_indexing, rules_linalg, rules_norm_loss, rules_reduction
from .batched_tensor import ESCAPED, BatchedMethods, level_of, wrap
from .dims import is_running, outside, running_levels, vmap_level
from .op_call import Call, accept, wrapped
from .rule_cache import key_of, remember, translation

_MODULES = rules_general, rules_reduction, rules_linalg, rules_indexing, rules_norm_loss


@functools.cache
def rule_named(name: str) -> Callable[[Call], Any]:
    return next(getattr(module, name) for module in _MODULES if hasattr(module, name))


Rule = Callable[[Call], Any]


def intercept(call: OpCall) -> Any:
    rule = call.rule
    if rule == "random":
        return draw(call)
    if rule == "composite" and (call.function.__name__[-1] != "_" or call.name[-1] == "_"):
        return NOT_HANDLED  # the ops that it is made of have rules, also where it exists only in place
    level, size = innermost((*call.args, *call.kwargs.values()) if call.kwargs else call.args)
    if not level:
        return NOT_HANDLED
    key = key_of(call, level)
    known = translation(key)
    with outside(level):
        if known is not None:
            return wrapped(known.run(call), level)
        bound = call_of(call, level, size)
        result = compute(bound, rule)
        if key is not None:
            remember(key, call, bound, result)
        return bound.first if bound.writes else wrapped(result, level)


def innermost(values: Any) -> tuple[int, int]:
    """The largest level among tensors and lists of tensors, and the size of its batch; (0, 0) without any."""
    result = largest(values)
    if result[0] and not is_running(result[0]):
        raise RuntimeError(ESCAPED)
    return result


def largest(values: Any) -> tuple[int, int]:
    """The largest level among tensors and lists of tensors, running or not, and the size of its batch."""
    level, size = 0, 0
    for value in values:
        if isinstance(value, BatchedMethods):
            result = value.level, value.value._shape[0]
        elif isinstance(value, (list, tuple)):
            result = largest(value)
        else:
            continue
        if result[0] > level:
            level, size = result
    return level, size


def call_of(call: OpCall, level: int, size: int) -> Call:
    kwargs = call.kwargs
    if "out" in kwargs and kwargs["out"] is None:
        kwargs = {name: value for name, value in kwargs.items() if name != "out"}
    return Call(call.name, call.function, call.args, kwargs, level, size)


def compute(call: Call, rule: str) -> Any:
    if call.writes:
        check_written(call)
    elif "out" in call.arguments:
        raise RuntimeError(f"{call.op}(): out= is not supported under vmap: assign the result instead")
    accept(call)
    return rule_for(call, rule)(call)


def check_written(call: Call) -> None:
    """A tensor that all examples share cannot take what differs between them."""
    if level_of(call.first) < call.level:
        name = call.function.__name__
        raise RuntimeError(
            f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that "
            "has more elements than `self`. This happened due to `other` being vmapped over but `self` not being "
            f"vmapped over in a vmap. Please try to use out-of-place operators instead of {name}."
        )


def rule_for(call: Call, name: str | Rule) -> Rule:
    if not call.size and name != "dynamic":
        name = "loop"
    elif name == "loop":
        warn_user(
            "There is a performance drop because we have not yet implemented the batching rule for "
            f"{call.name}: vmap calls it once for each example. Give its entry the key 'batch'"
        )
    return rule_called(name)


@functools.cache
def rule_called(rule: str | Rule) -> Rule:
    return rule_named(rule) if isinstance(rule, str) else rule


def draw(call: OpCall) -> Any:
    levels = running_levels()
    if not levels:
        return NOT_HANDLED
    inner = levels[-1]
    if inner.randomness == "error":
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
            f"'different' randomness flags on vmap or perform the randomness operation out of vmap: {call.name}()"
        )
    level, size = innermost((*call.args, *call.kwargs.values()))
    with outside(inner.number):
        if inner.randomness == "different":
            return rule_called("sampled_per_example")(call_of(call, inner.number, inner.size))
        if level == inner.number:
            return rule_called("sampled_once")(call_of(call, level, size))
        return call.function(*call.args, **call.kwargs)


class Levels:
    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels = running_levels()

    @contextmanager
    def running(self) -> Iterator[Mapping[int, int]]:
        """Inside, all of them run: new ones stand for those that are over. Gives the number of each by the old one."""
        with ExitStack() as stack:
            numbers = {}
            for number, size, randomness in self.levels:
                over = not is_running(number)
                numbers[number] = stack.enter_context(vmap_level(size, randomness)) if over else number
            yield numbers


def bared(tensor: Any) -> tuple[Any, list[int]]:
    """All examples of all levels of a tensor, and the numbers of these levels, the innermost first."""
    levels = []
    while isinstance(tensor, BatchedMethods):
        levels.append(tensor.level)
        tensor = tensor.value
    return tensor, levels


def as_examples(value: Any, levels: list[int], numbers: Mapping[int, int]) -> Any:
    for level in reversed(levels):
        value = wrap(value, numbers[level])
    return value
