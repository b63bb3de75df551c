"""What pickles of tensors may name, and what is called for each name: nothing that a file could do harm with, and what
a program lets `load` call (`torch.serialization.add_safe_globals`).
"""

import contextlib
import os
import pickletools
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

from ...device.device import device
from ...errors import ArgumentError, SerializationError, UnsafeFileError
from ...extension_points import extension
from ...shapes import Size
from ...tensor.dtypes import dtype, from_name
from . import pickle_tensors
from .pickle_reader import Named, checked_key
from .zip_archive import Archive, Damage

Safe = Callable[..., Any] | tuple[Callable[..., Any], str]

_OWN = __name__.rpartition(".runtime.")[0] + "."
_safe: list[Safe] = []


def add_safe_globals(safe_globals: list[Safe]) -> None:
    """Let `load` name these classes and functions, by their own names or as `(callable, "module.name")`.

    A file can then call them with whatever it holds: add only what is harmless with any arguments.
    """
    for one in safe_globals:
        callable_, name = one if isinstance(one, tuple) else (one, "")
        if not callable(callable_) or not isinstance(name, str):
            raise ArgumentError(f"add_safe_globals(): expected classes, functions or pairs with a name, got {one!r}")
    _safe.extend(one for one in safe_globals if one not in _safe)


def get_safe_globals() -> list[Safe]:
    """What `add_safe_globals` has been given."""
    return list(_safe)


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` has been given."""
    _safe.clear()


class safe_globals(contextlib.AbstractContextManager[None]):
    """`add_safe_globals` for a block."""

    def __init__(self, safe_globals: list[Safe]) -> None:
        self._added = safe_globals

    def __enter__(self) -> None:
        self._before = get_safe_globals()
        add_safe_globals(self._added)

    def __exit__(self, *error: Any) -> None:
        _safe[:] = self._before


def full_name(value: Any) -> str:
    return public_name(f"{value.__module__}.{value.__qualname__}")


def public_name(name: str) -> str:
    return "torch." + name.removeprefix(_OWN) if name.startswith(_OWN) else name


def safe_name(module: str, name: str) -> Named:
    """What a program has declared safe under this name. UnsafeFileError: nothing."""
    requested = public_name(f"{module}.{name}")
    for value, own in _named():
        if own == requested:
            new = partial(value.__new__, value) if isinstance(value, type) else None
            return Named(
                value,
                _named_in_errors(own, value),
                new and _named_in_errors(own, new),
                _named_in_errors(own, _build),
                True,
            )
    raise UnsafeFileError(_unsafe(module, name))


def _unsafe(module: str, name: str) -> str:
    named = f"load(): the file names {module}.{name}"
    if module.partition(".")[0] in _RUNNING_CODE:
        return f"{named}, which could run any code, and load runs none"
    return (
        f"{named}, which load does not know to be safe: if you trust it and the file, allow it by "
        f"torch.serialization.add_safe_globals([{name}]), or for a block by safe_globals([{name}])"
    )


def _named_in_errors(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A program's function, whose errors are its own: they do not say that the file is damaged."""

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            message = f"load(): {name}, which the program lets files call, raised {type(error).__name__}: {error}"
            raise SerializationError(message) from error

    return called


def _named() -> Iterator[tuple[Any, str]]:
    for one in _safe:
        yield (one[0], public_name(one[1])) if isinstance(one, tuple) else (one, full_name(one))


def _build(value: Any, state: Any) -> None:
    if hasattr(value, "__setstate__"):
        value.__setstate__(state)
        return
    state, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    value.__dict__.update(state or {})
    for name, part in (slots or {}).items():
        setattr(value, name, part)


_BUILTINS = ("__builtin__", "builtins")
_RUNNING_CODE = (*_BUILTINS, "os", "posix", "nt", "sys", "subprocess", "importlib", "runpy", "shutil", "socket")
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
    numbers = () if index is None else (_checked_type(index, int),)
    return device(_checked_type(kind, str), *numbers)


class _TorchFunctions:
    """PyTorch's class of which `torch.relu` is an attribute, as pickles have it."""


def _attribute(owner: Any, name: Any) -> Any:
    if owner is not _TorchFunctions or type(name) is not str:
        raise UnsafeFileError(_unsafe("builtins", "getattr"))
    return find("torch", name).value


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
    "builtins.getattr": Named(_attribute, _attribute),
    "torch._C._VariableFunctionsClass": Named(_TorchFunctions),
    "torch.Size": Named(Size, _size),
    "torch.device": Named(device, _device),
}


def find(module: str, name: str) -> Named:
    """What a name in a pickle stands for; an UnsafeFileError where it may not be named."""
    full = f"{'builtins' if module in _BUILTINS else module}.{name}"
    known = (
        _PYTHON.get(full)
        or pickle_tensors.find_sparse_name(full)
        or pickle_tensors.find(full)
        or pickle_tensors.find_numpy_name(full)
    )
    if known is not None:
        return known
    kind = _dtype(name) if module == "torch" else None
    if kind is not None:
        return Named(kind)
    return extension("pickled_classes")(public_name(full)) or safe_name(module, name)


def _dtype(name: str) -> dtype | None:
    try:
        return from_name(name)
    except ValueError:
        return None


def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | IO[bytes]) -> list[str]:
    """The classes and functions that a file of `save` names and `load` does not know: for `add_safe_globals`.

    Args:
        f: a path, or an object with `read` and `seek`.

    Raises:
        RuntimeError: the file is no archive of `save` or `torch.save`.

    Example:
        >>> import io, specgrad as sg
        >>> file = io.BytesIO()
        >>> sg.save({"weight": sg.ones(2)}, file)
        >>> sg.serialization.get_unsafe_globals_in_checkpoint(file)
        []
    """
    if hasattr(f, "read"):
        return _unknown(f)
    with open(os.fspath(f), "rb") as file:
        return _unknown(file)


def _unknown(file: Any) -> list[str]:
    try:
        archive = Archive(file)
        archive.leave_unchecked()
        member = next(name for name in archive if name.endswith("/data.pkl"))
        named = list(dict.fromkeys(_names(archive.read(member).tobytes())))
    except (ValueError, StopIteration) as error:
        reason = f"get_unsafe_globals_in_checkpoint(): expected an archive of save, but the file is none ({error})"
        raise SerializationError(reason) from error
    return [f"{module}.{name}" for module, name in named if not _is_known(module, name)]


def _is_known(module: str, name: str) -> bool:
    try:
        find(module, name)
    except SerializationError:
        return False
    return True


def _names(pickled: bytes) -> Iterator[tuple[str, str]]:
    """Modules and names in them, also those that the stack has as texts."""
    strings: list[str] = []
    for operation, argument, _ in pickletools.genops(pickled):
        if operation.name == "GLOBAL":
            module, _, name = str(argument).partition(" ")
            yield module, name
        elif operation.name == "STACK_GLOBAL" and len(strings) > 1:
            yield strings[-2], strings[-1]
        elif isinstance(argument, str):
            strings.append(argument)
