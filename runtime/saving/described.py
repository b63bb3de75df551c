"""Files that specgrad wrote before it wrote PyTorch's: an archive with a description in JSON, and raw storages."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from ..tensor.devices import device
from ..tensor.dtype_views import storage_as
from ..tensor.dtypes import dtype
from ..tensor.memory import placed
from .archive import Archive, Damage
from .tree import Decoder

DESCRIPTION = "tree.json"
_FORMAT = {"format": "specgrad", "version": 1, "byteorder": sys.byteorder}
_MEMBER = re.compile(r"tree\.json|storages/(0|[1-9][0-9]*)")


def read_described(archive: Archive, locate: Callable[[str], device]) -> Any:
    for name in archive:
        if not _MEMBER.fullmatch(name):
            raise Damage(f"save writes no member called {name}")
    tree = json.loads(archive.read(DESCRIPTION).tobytes())
    for key, expected in _FORMAT.items():
        if tree[key] != expected:
            raise Damage(f"{key} is {tree[key]!r}, expected {expected!r}")
    return Decoder(_Storages(archive).read, locate).decode(tree["object"])


class _Storages:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._cached: dict[tuple[int, device], Any] = {}

    def read(self, number: int, kind: dtype, locate: device) -> Any:
        if (number, locate) not in self._cached:
            raw = self._archive.read(f"storages/{number}")
            if raw.size % kind.itemsize:
                raise Damage(f"storage {number} has no whole number of {kind} elements")
            self._cached[number, locate] = placed(raw.view(kind.np), locate)
        return storage_as(self._cached[number, locate], kind)
