"""Versions that compare as numbers do: `TorchVersion`, after PEP 440."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

_PATTERN = re.compile(
    r"\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<pre>alpha|beta|preview|pre|rc|a|b|c)[-_.]?(?P<pre_number>\d*))?"
    r"(?:-(?P<post_alone>\d+)|[-_.]?(?P<post>post|rev|r)[-_.]?(?P<post_number>\d*))?"
    r"(?:[-_.]?(?P<dev>dev)[-_.]?(?P<dev_number>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*",
    re.IGNORECASE,
)
_STAGE = {"alpha": 0, "a": 0, "beta": 1, "b": 1, "preview": 2, "pre": 2, "rc": 2, "c": 2}
_BEFORE, _AFTER = -1, 3  # the stage of a bare development release, and that of a final one

Key = tuple[Any, ...]


def _key(version: str) -> Key | None:
    match = _PATTERN.fullmatch(version)
    if match is None:
        return None
    release = [int(n) for n in match["release"].split(".")]
    while release and release[-1] == 0:  # 2.0 is 2
        release.pop()
    post = match["post_alone"] or match["post_number"] or ("0" if match["post"] else None)
    stage = _AFTER
    if match["pre"]:
        stage = _STAGE[match["pre"].lower()]
    elif match["dev"] and post is None:
        stage = _BEFORE
    pre = stage, int(match["pre_number"] or 0)
    dev = (0, int(match["dev_number"] or 0)) if match["dev"] else (1, 0)
    parts = re.split(r"[-_.]", match["local"].lower()) if match["local"] else []
    local = tuple([(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts])
    return int(match["epoch"] or 0), tuple(release), pre, -1 if post is None else int(post), dev, local


def _comparison(compared: Callable[[Any, Any], bool]) -> Any:
    def compare(self: TorchVersion, other: object) -> bool:
        both = self._both(other)
        return NotImplemented if both is None else compared(*both)

    return compare


class TorchVersion(str):
    """A version as text that compares with text, tuples of numbers and `packaging`'s versions as versions do.

    Where one of both is no version, the texts are compared.

    Example:
        >>> from specgrad.torch_version import TorchVersion
        >>> version = TorchVersion("2.13.0+specgrad")
        >>> version >= "2.9", version > (2, 13), version < "2.14.0a0", version[:4]
        (True, True, True, '2.13')
    """

    __slots__ = ()

    def _both(self, other: Any) -> tuple[Any, Any] | None:
        if not isinstance(other, str):
            if hasattr(other, "release"):  # a `packaging.version.Version`
                other = str(other)
            elif isinstance(other, Iterable):
                try:
                    parts = iter(other)
                except TypeError:  # of a tensor without dimensions, which has the method
                    return None
                other = ".".join(str(part) for part in parts)
            else:
                return None
        keys = _key(self), _key(other)
        return (str(self), str(other)) if None in keys else keys

    __eq__, __ne__ = map(_comparison, (operator.eq, operator.ne))
    __lt__, __le__, __gt__, __ge__ = map(_comparison, (operator.lt, operator.le, operator.gt, operator.ge))
    __hash__ = str.__hash__
