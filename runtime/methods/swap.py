"""Two tensors that exchange all that they are; and weak references to tensors, and dictionaries of them by identity."""

import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from ..tensor.tensor import TensorBase, layout_changes

_SLOTS = [name for name in TensorBase.__slots__ if name != "__weakref__"]


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange two tensors: whoever holds the one has the other now.

    Args:
        t1, t2: the tensors; nobody refers to them weakly, no graph that is still wanted reaches them as leaves.

    Raises:
        TypeError: one of them is no tensor.
        RuntimeError: somebody refers to one of them weakly.

    Example:
        >>> import specgrad as sg
        >>> a, b = sg.zeros(2), sg.ones(3, dtype=sg.int64)
        >>> swap_tensors(a, b)
        >>> a, b
        (tensor([1, 1, 1]), tensor([0., 0.]))
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"swap_tensors(): argument '{name}' must be Tensor, not {type(tensor).__name__}")
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    retained = [(name, getattr(t1, name), getattr(t2, name)) for name in _SLOTS]
    classes = type(t1), type(t2)
    t1.__class__, t2.__class__ = classes[1], classes[0]
    for name, first, second in retained:
        setattr(t1, name, second)
        setattr(t2, name, first)
    layout_changes[0] += 1  # what native code has found of the one is not true of the other


class WeakIdRef(weakref.ref):
    """A weak reference that equals those to the very same object.

    Args:
        key: the object.
        callback: called with the reference when the object is freed.
    """

    __slots__ = ("_id",)

    def __new__(cls, key: Any, callback: Callable[[Any], Any] | None = None) -> "WeakIdRef":
        return super().__new__(cls, key, callback)

    def __init__(self, key: Any, callback: Callable[[Any], Any] | None = None) -> None:
        self._id = id(key)
        super().__init__(key, callback)  # type: ignore[call-arg]

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        own, others = self(), other() if isinstance(other, weakref.ref) else None
        return self is other if own is None or others is None else own is others

    def __ne__(self, other: object) -> bool:
        return not self == other


class TensorWeakRef:
    """A weak reference to a tensor.

    Args:
        tensor: the tensor.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2)
        >>> reference = TensorWeakRef(x)
        >>> reference() is x
        True
    """

    def __init__(self, tensor: Any) -> None:
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        return self.ref()


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are compared by identity, and which forgets a key that is freed.

    Args:
        dict: keys and values to begin with.
        ref_type: the class of the references to keys.

    Example:
        >>> import specgrad as sg
        >>> x, names = sg.ones(2), WeakIdKeyDictionary()
        >>> names[x] = "x"
        >>> names[x], sg.ones(2) in names
        ('x', False)
        >>> del x
        >>> len(names)
        0
    """

    def __init__(self, dict: Mapping[Any, Any] | None = None, ref_type: type[WeakIdRef] = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        own = weakref.ref(self)

        def forget(reference: Any) -> None:
            alive = own()
            if alive is not None:
                alive.data.pop(reference, None)

        self._forget = forget
        if dict is not None and not isinstance(dict, Mapping):
            raise TypeError(f"WeakIdKeyDictionary(): argument 'dict' must be a dict, but got {type(dict).__name__}")
        self.update(dict or {})

    def update(self, dict: Any = (), /, **kwargs: Any) -> None:
        """Take over the keys and values of a mapping, or of pairs in `dict`; those of kwargs too."""
        try:
            super().update(dict, **kwargs)
        except ValueError as error:
            raise ValueError(f"update(): expected a mapping or pairs of keys and values: {error}") from None

    def __getitem__(self, key: Any) -> Any:
        reference = self.ref_type(key)
        if reference not in self.data:
            raise KeyError(key)
        return self.data[reference]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        reference = self.ref_type(key)
        if reference not in self.data:
            raise KeyError(key)
        del self.data[reference]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # what cannot be referred to weakly is no key
            return False

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def popitem(self) -> tuple[Any, Any]:
        """Take out the first key and its value.

        Raises:
            KeyError: there is none.
        """
        for key in self:
            return key, self.pop(key)
        raise KeyError("popitem(): dictionary is empty")

    def keyrefs(self) -> list[WeakIdRef]:
        """The references to the keys."""
        return list(self.data)

    def copy(self) -> "WeakIdKeyDictionary":
        """Another dictionary of the same keys and values."""
        return type(self)(self, self.ref_type)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} keys>"


WeakTensorKeyDictionary = WeakIdKeyDictionary
