"""Pickles as PyTorch's files hold them: tensors by its names, their storages beside the pickle."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...device.device import device
from ...errors import SerializationError, type_name
from ...shapes import Size
from ...tensor.dtypes import dtype, from_numpy
from ...tensor.memory import on_host
from ...tensor.memory_format import strided
from ...tensor.tensor import TensorBase
from ..storage.contents import OF_NAMES
from .json_format import tensor_classes
from .pickle_tensors import LAYOUT, REBUILD, described
from .rebuild import parts

_TYPED = {kind: storage for storage, kind in OF_NAMES.items()}
_LEAVES = (type(None), bool, int, float, str)


class _Name:
    """A module and a name in it, which a pickle may hold without either being there."""

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def __call__(self) -> None:
        """Never called: the pickler asks whether it could be."""


class _Stored:
    """The persistent id of a storage, before it is written."""

    def __init__(self, *identity: Any) -> None:
        self.identity = identity


if TYPE_CHECKING:

    class _Pickler:
        """What is used of Python's pickler, of which only the name is private; its types say less."""

        dispatch: ClassVar[dict[Any, Any]]
        memo: dict[int, Any]

        def __init__(self, file: BytesIO, protocol: int) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

        def save(self, obj: Any, save_persistent_id: bool = True) -> None: ...

else:
    _Pickler = pickle._Pickler


class Writer(_Pickler):
    """Pickles one object and collects the storages of its tensors, each once.

    PyTorch's own names are written for tensors, dtypes, devices and sizes; other classes by theirs, as pickles do.
    """

    def __init__(self, file: BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: list[np.ndarray] = []
        self._storage_index: dict[tuple[Any, int, str], int] = {}
        self._untyped: set[int] = set()
        self._names: dict[tuple[str, str], _Name] = {}
        self._trail: list[Any] = []

    def persistent_id(self, obj: Any) -> Any:
        return obj.identity if type(obj) is _Stored else None

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if type(obj) in _LEAVES:
            super().save(obj, save_persistent_id)
            return
        self._trail.append(obj)
        if isinstance(obj, TensorBase) and id(obj) not in self.memo:
            if obj.layout is strided:  # type: ignore[attr-defined]
                self._save_tensor(obj)
            else:
                layout, content = described(obj)
                self.save_reduce(self._name(*REBUILD), (_Made(self._name(*LAYOUT), (layout,)), content), obj=obj)
        else:
            super().save(obj, save_persistent_id)
        self._trail.pop()

    def path(self) -> tuple[str, Any]:
        """The Python expression that leads to the object that is being written, and that object."""
        text, shown = "obj", self._trail[0] if self._trail else None
        for outer, inner in zip(self._trail, self._trail[1:], strict=False):
            step = _step(outer, inner)
            if step is None:  # from here on it is what an object is made of
                break
            text, shown = (f"{text}{step}" if step.startswith("[") else f"{step} of {text}"), inner
        return text, shown

    def _name(self, module: str, name: str) -> _Name:
        return self._names.setdefault((module, name), _Name(module, name))

    def _save_name(self, obj: _Name) -> None:
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)

    def _save_dtype(self, obj: dtype) -> None:
        self.save(self._name("torch", obj.name))

    def _save_device(self, obj: device) -> None:
        index = () if obj.index is None else (obj.index,)
        self.save_reduce(self._name("torch", "device"), (obj.type, *index), obj=obj)

    def _save_size(self, obj: Any) -> None:
        self.save_reduce(self._name("torch", "Size"), (tuple(obj),), obj=obj)

    dispatch = {**_Pickler.dispatch, _Name: _save_name, dtype: _save_dtype, device: _save_device, Size: _save_size}

    def _save_tensor(self, tensor: Any) -> None:
        cls, storage, (shape, strides, offset), requires_grad, target_device, attributes, kind = parts(tensor)
        marks = {"conj": tensor.conjugated, "neg": tensor.negated}
        metadata = ({mark: True for mark, is_set in marks.items() if is_set},) if tensor.lazy_conj else ()
        if tensor.is_meta:
            without = self._utils("_rebuild_meta_tensor_no_storage")
            self._save_made(tensor, cls, without, ((kind, tuple(shape), tuple(strides)), requires_grad, ()), attributes)
            return
        number, stored_as = self._storage(storage)
        typed = kind is stored_as and kind in _TYPED and number not in self._untyped
        if not typed:
            self._untyped.add(number)
        module_name, name = ("torch", _TYPED[kind]) if typed else ("torch.storage", "UntypedStorage")
        count = storage.size * (1 if typed else storage.dtype.itemsize)
        identity = _Stored("storage", self._name(module_name, name), str(number), str(target_device), count)
        args = identity, offset, tuple(shape), tuple(strides)
        behind: tuple[Any, ...] = (OrderedDict(), *(() if typed else (kind,)), *metadata)
        function = self._utils("_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3")
        self._save_made(tensor, cls, function, (args, requires_grad, behind), attributes)

    def _utils(self, name: str) -> _Name:
        return self._name("torch._utils", name)

    def _save_made(
        self,
        tensor: Any,
        cls: type,
        function: _Name,
        parts: tuple[tuple[Any, ...], bool, tuple[Any, ...]],
        attributes: Any,
    ) -> None:
        """A plain tensor, a parameter, or a tensor of another class or with attributes; `parts` are the arguments of
        what makes it: those before `requires_grad`, that, and those behind it."""
        before, requires_grad, behind = parts
        arguments, known = (*before, requires_grad, *behind), tensor_classes()
        if cls is known["tensor"] and not attributes:
            self.save_reduce(function, arguments, obj=tensor)
            return
        if cls is known.get("Parameter"):
            inner = _Made(function, (*before, False, *behind))
            more = (attributes,) if attributes else ()
            named = self._utils("_rebuild_parameter_with_state" if attributes else "_rebuild_parameter")
            self.save_reduce(named, (inner, requires_grad, OrderedDict(), *more), obj=tensor)
            return
        written = self._name("torch", "Tensor") if cls is known["tensor"] else cls
        of_type = self._name("torch._tensor", "_rebuild_from_type_v2")
        self.save_reduce(of_type, (function, written, arguments, attributes), obj=tensor)

    def _storage(self, storage: Any) -> tuple[int, dtype]:
        on_cpu = isinstance(storage, np.ndarray)
        address = storage.__array_interface__["data"][0] if on_cpu else (storage.device, storage.address)
        key = (address, storage.nbytes, str(storage.dtype))
        if storage.nbytes == 0 or key not in self._storage_index:
            self._storage_index[key] = len(self.storages)
            self.storages.append(on_host(storage))
        return self._storage_index[key], from_numpy(storage.dtype)


class _Made:
    """A call, which the pickle holds in the place of its result."""

    def __init__(self, function: _Name, arguments: tuple[Any, ...]) -> None:
        self._call = function, arguments

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self._call


def _step(outer: Any, inner: Any) -> str | None:
    if isinstance(outer, Mapping):
        for key, value in outer.items():
            if value is inner:
                return f"[{key!r}]"
            if key is inner:
                return f"key {key!r}"
    elif isinstance(outer, Sequence) and not isinstance(outer, str):
        for number, value in enumerate(outer):
            if value is inner:
                return f"[{number}]"
    return None


def pickled(obj: Any, protocol: int) -> tuple[bytes, list[np.ndarray]]:
    file = BytesIO()
    writer = Writer(file, protocol)
    try:
        writer.dump(obj)
    except RecursionError:
        raise SerializationError("save(): the object is nested too deeply") from None
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        path, shown = writer.path()
        raise SerializationError(
            f"save(): cannot save an object of type {type_name(shown)} at {path}: files hold what Python can pickle "
            f"({error})"
        ) from error
    return file.getvalue(), writer.storages
