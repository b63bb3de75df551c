"""What pickles of tensors may name, and what is called for each name: nothing that a file could do harm with."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

from ..tensor.devices import device
from ..tensor.dtypes import dtype, from_name
from ..tensor.shapes import Size
from . import pickle_arrays, pickle_sparse, pickle_tensors
from .archive import Damage
from .pickle_reader import Named, checked_key
from .safe_names import safe_name

_BUILTINS = ("__builtin__", "builtins")
_FACTORIES = (list, dict, set, int, float, str, tuple, OrderedDict)


def _checked_type(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise Damage(f"expected {' or '.join(kind.__name__ for kind in kinds)}, but got {type(value).__name__}")
    return value


def _ordered(items: Any = ()) -> OrderedDict[Any, Any]:
    pairs = _checked_type(items, list, tuple)
    return OrderedDict((checked_key(_checked_type(pair, list, tuple)[0]), pair[1]) for pair in pairs)


def _with_metadata(value: Any, state: Any) -> None:
    """An OrderedDict has one attribute, that of a module's state_dict."""
    for name, part in _checked_type(state, dict).items():
        if name != "_metadata":
            raise Damage(f"the pickle gives an OrderedDict an attribute {name!r}")
        value._metadata = part


def _counter(counts: Any = None) -> Counter[Any]:
    return Counter({} if counts is None else _checked_type(counts, dict))


def _defaultdict(factory: Any = None, items: Any = None) -> defaultdict[Any, Any]:
    if factory is not None and factory not in _FACTORIES:
        raise Damage("the pickle has a defaultdict of what is no plain class")
    return defaultdict(factory, {} if items is None else _checked_type(items, dict))


def _bytes(text: Any = "", encoding: Any = "latin1") -> bytes:
    """Bytes as protocol 2 writes them: text whose letters are their numbers."""
    if encoding not in ("latin1", "latin-1"):
        raise Damage("the pickle has bytes in another encoding than latin1")
    return bytes(_checked_type(text, str).encode("latin1"))


def _bytearray(content: Any = b"", encoding: Any = "latin-1") -> bytearray:
    return bytearray(content if type(content) is bytes else _bytes(content, encoding))


def _complex(real: Any, imaginary: Any) -> complex:
    return complex(_checked_type(real, float, int), _checked_type(imaginary, float, int))


def _set(items: Any = ()) -> set[Any]:
    return set(map(checked_key, _checked_type(items, list, tuple)))


def _frozenset(items: Any = ()) -> frozenset[Any]:
    return frozenset(map(checked_key, _checked_type(items, list, tuple)))


def _size(numbers: Any = ()) -> Size:
    return Size(_checked_type(n, int) for n in _checked_type(numbers, tuple, list))


def _device(kind: Any, index: Any = None) -> device:
    return (
        device(_checked_type(kind, str))
        if index is None
        else device(_checked_type(kind, str), _checked_type(index, int))
    )


_PYTHON: dict[str, Named] = {
    "collections.OrderedDict": Named(OrderedDict, _ordered, build=_with_metadata),
    "collections.Counter": Named(Counter, _counter),
    "collections.defaultdict": Named(defaultdict, _defaultdict),
    "_codecs.encode": Named(_bytes, _bytes),
    "builtins.bytes": Named(bytes, _bytes),
    "builtins.bytearray": Named(bytearray, _bytearray),
    "builtins.complex": Named(complex, _complex),
    "builtins.set": Named(set, _set),
    "builtins.frozenset": Named(frozenset, _frozenset),
    **{f"builtins.{cls.__name__}": Named(cls) for cls in (list, dict, tuple, int, float, str, bool)},
    "torch.Size": Named(Size, _size),
    "torch.device": Named(device, _device),
}


def find(module: str, name: str) -> Named:
    """What a name in a pickle stands for; an UnsafeFileError where it may not be named."""
    full = f"{'builtins' if module in _BUILTINS else module}.{name}"
    known = (
        _PYTHON.get(full)
        or pickle_sparse.find_sparse_name(full)
        or pickle_tensors.find(full)
        or pickle_arrays.find_numpy_name(full)
    )
    if known is not None:
        return known
    kind = _dtype(name) if module == "torch" else None
    return safe_name(module, name) if kind is None else Named(kind)


def _dtype(name: str) -> dtype | None:
    try:
        return from_name(name)
    except ValueError:
        return None
