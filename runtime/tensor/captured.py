"""What the function of a transform may not do: write to a tensor that it captured, one made before the transform called
it and not handed to it, and what changes the graph that the transform works on.

Tensors note in `_made` the number of the newest call. A view is as old as its base, another tensor over
the same memory as the first. Native code reads `calls` where it makes a tensor, and where it writes to one."""

from collections.abc import Sequence
from typing import Any

from ..locks import new_lock
from ..thread_state import mode

VMAP = -1  # in the place of a call's number: only vmaps run, whose functions may write to what they captured
calls: list[int] = []  # the numbers of those that run, in all threads: nearly always empty
newest = [0]  # the largest number that there has been
_starting = new_lock()


class transform_call:
    """Inside runs the function of a transform, to which these tensors are handed."""

    __slots__ = ("arguments", "number", "outer")

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.arguments = arguments

    def __enter__(self) -> None:
        state = mode.__dict__  # of this thread: found once
        self.outer = state["transform"]
        own = [argument for argument in self.arguments if not is_captured(argument)] if self.arguments else ()
        with _starting:
            self.number = state["transform"] = newest[0] = newest[0] + 1
            calls.append(self.number)
        for argument in own:
            argument._made = self.number
            if argument._base is not None:
                argument._base._made = self.number

    def __exit__(self, *_: object) -> None:
        calls.remove(self.number)
        mode.transform = self.outer


def is_captured(tensor: Any) -> bool:
    """Whether the innermost call of this thread neither made the tensor nor was handed it."""
    number, base = mode.transform, tensor._base
    return number > 0 and (tensor._made < number or (base is not None and base._made < number))


def check_captured(name: str, tensor: Any) -> None:
    if calls and is_captured(tensor):
        raise RuntimeError(
            "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
            f"({name}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
            "transformed to explicitly accept the mutated Tensor(s) as inputs."
        )


def refuse_in_transform(method: str, among_vmaps: bool = True) -> None:
    if mode.transform and (among_vmaps or mode.transform != VMAP):
        raise RuntimeError(
            f"You are attempting to call Tensor.{method}() inside of a function being transformed by a functorch "
            "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
            f"jacfwd, hessian) or call {method}() outside of a function being transformed instead."
        )
