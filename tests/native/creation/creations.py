"""What native code and the general path make of the same call: for test_creation.py and test_random.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import specgrad as sg
from specgrad.runtime.fast_path import fast_path
from specgrad.runtime.ops.creation import constants, distributions, from_data, like, random, random_fill, ranges
from specgrad.runtime.ops.creation.fast_calls import Creation

MODULES = (from_data, distributions, constants, like, random_fill, ranges, random)
CREATIONS = [obj for module in MODULES for obj in vars(module).values() if isinstance(obj, Creation)]
SOURCE = sg.ones(3, 4) + sg.ones(4)  # by an op: from now on native code makes tensors
for creation in CREATIONS:
    creation.launch = fast_path().creation(creation)
Call = Callable[..., Any]


@contextmanager
def answers(wrap: Callable[[Any], Any]) -> Iterator[None]:
    """Inside, what creation functions ask first is wrapped."""
    before = [creation.launch for creation in CREATIONS]
    for creation in CREATIONS:
        creation.launch = wrap(creation.launch)
    try:
        yield
    finally:
        for creation, launch in zip(CREATIONS, before, strict=True):
            creation.launch = launch


def outcome(function: Call, *args: Any, **kwargs: Any) -> Any:
    """All that can be known of what a call makes, or its error."""
    try:
        t = function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    plain = type(t), t.dtype, t._shape, type(t._shape), t._strides, t._offset, t.requires_grad, t.is_leaf, t.device
    return plain, t.detach().contiguous().view(-1)._flat.tobytes()


def native_outcome(function: Call, *args: Any, **kwargs: Any) -> tuple[Any, bool]:
    """The outcome, and whether native code made the tensor."""
    made: list[Any] = []

    def wrap(launch: Any) -> Any:
        return lambda *arguments: made.append(launch(*arguments)) or made[-1]

    sg.manual_seed(5)
    with answers(wrap):
        found = outcome(function, *args, **kwargs)
    return found, any(t is not None for t in made)


def general_outcome(function: Call, *args: Any, **kwargs: Any) -> Any:
    """The outcome of the general path."""
    sg.manual_seed(5)
    with answers(lambda _: lambda *arguments: None):
        return outcome(function, *args, **kwargs)


def is_native(function: Call, *args: Any, **kwargs: Any) -> bool:
    """Whether native code makes the tensor, which then is as the general path makes it."""
    found, native = native_outcome(function, *args, **kwargs)
    assert found == general_outcome(function, *args, **kwargs)
    return native
