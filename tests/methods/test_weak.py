"""`utils.weak`, `utils.swap_tensors` and `utils.hooks`."""

import gc
import importlib
import warnings
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest


def part(lib: Any, name: str) -> Any:
    """A module of `utils`."""
    return importlib.import_module(f"{lib.__name__}.utils.{name}")


def test_keys_are_compared_by_identity(lib: Any) -> None:
    """Equal tensors are other keys, and a key that is freed is forgotten."""
    names = part(lib, "weak").WeakIdKeyDictionary()
    first, second = lib.ones(2), lib.ones(2)
    names[first], names[second] = "first", "second"
    assert names[first] == "first" and names.pop(second) == "second" and second not in names
    assert len(names.copy()) == 1 and 3 not in names if lib.__name__ == "specgrad" else True
    assert [key is first for key in names] == [True]
    del first
    gc.collect()
    assert len(names) == 0


def test_references(lib: Any) -> None:
    """A reference does not keep its tensor."""
    weak = part(lib, "weak")
    tensor = lib.ones(2)
    reference, by_identity = weak.TensorWeakRef(tensor), weak.WeakIdRef(tensor)
    assert reference() is tensor and by_identity == weak.WeakIdRef(tensor)
    found = by_identity == weak.WeakIdRef(lib.ones(2))  # PyTorch has no `!=` of its own
    assert not found
    del tensor
    gc.collect()
    assert reference() is None


def test_swapped_tensors(lib: Any) -> None:
    """All that two tensors are is exchanged: class, elements, gradients, attributes."""
    parameter = lib.nn.Parameter(lib.ones(2))
    (parameter * 3).sum().backward()
    plain = lib.arange(4)
    plain.note = "plain"
    identities = id(parameter), id(plain)
    lib.utils.swap_tensors(parameter, plain)
    assert (id(parameter), id(plain)) == identities
    assert parameter.tolist() == [0, 1, 2, 3] and parameter.note == "plain" and not parameter.requires_grad
    assert isinstance(plain, lib.nn.Parameter) and plain.grad.tolist() == [3.0, 3.0]
    plain.grad = None
    (plain * 5).sum().backward()
    np.testing.assert_array_equal(plain.grad.numpy(), [5.0, 5.0])
    np.testing.assert_array_equal((parameter + parameter).numpy(), [0, 2, 4, 6])


def test_what_is_referred_to_weakly_is_not_swapped(lib: Any) -> None:
    """Whoever holds a weak reference would have another tensor."""
    tensor = lib.ones(2)
    reference = part(lib, "weak").WeakIdRef(tensor)
    with pytest.raises(RuntimeError, match="weakref"):
        lib.utils.swap_tensors(lib.ones(1), tensor)
    assert reference() is tensor


def test_handles_of_ones_own_tables(lib: Any) -> None:
    """A handle removes a hook from a table of a program's own, and notes about it from others."""
    table: Any = OrderedDict()
    notes: Any = OrderedDict()
    handle = part(lib, "hooks").RemovableHandle(table, extra_dict=notes)
    table[handle.id], notes[handle.id] = print, True
    with handle:
        assert len(table) == 1
    assert not table and not notes
    handle.remove()
    assert part(lib, "hooks").RemovableHandle(table).id != handle.id


def test_hooks_that_are_left_behind(lib: Any) -> None:
    """Hooks that are marked are not warned of."""
    hooks = part(lib, "hooks")
    tensor = lib.ones(2, requires_grad=True)
    tensor.register_hook(hooks.unserializable_hook(lambda grad: None))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hooks.warn_if_has_hooks(tensor)
    tensor.register_hook(lambda grad: None)
    with pytest.warns(UserWarning, match="will not be serialized"):
        hooks.warn_if_has_hooks(tensor)


def test_backward_hooks_by_hand(lib: Any) -> None:
    """BackwardHook calls a function with the gradients of what goes in and comes out."""
    seen: list[Any] = []
    hook = part(lib, "hooks").BackwardHook("module", [lambda *found: seen.append(found)], [])
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    (inside,) = hook.setup_input_hook((x,))
    hook.setup_output_hook(inside * 3).sum().backward()
    assert seen[0][0] == "module"
    assert [grads[0].tolist() for grads in seen[0][1:]] == [[3.0, 3.0], [1.0, 1.0]]
