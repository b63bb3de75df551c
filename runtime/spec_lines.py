"""The lines of a spec's entries, read off the spec file when a message shows one.

Generated code holds no line numbers. A generated package says where its spec lies, seen from its folder
(`_spec_file`). Where the spec is no longer there, or does not hold the op, messages name the file alone."""

import functools
import os
import re
import sys
from typing import Any

# `- name: max.dim(...`, with or without quotes and braces; `name:` need not be the entry's first key.
_ENTRY = re.compile(r"""\s*(-\s+)?\{?\s*(["']?)name\2\s*:\s*["']?([\w.]+)\s*\(""")


def entry_location(module: str, name: str) -> str:
    """`derivatives.yaml:92`, where the entry of an op stands; empty for what no spec describes."""
    path = spec_path(module)
    if not path or not name:
        return ""
    line = _lines_now(path).get(name)
    return os.path.basename(path) + ("" if line is None else f":{line}")


def generated_package(module: str) -> str:
    """`my_ops.generated` of `my_ops.generated.ops.waves`; empty for other modules."""
    name = module.rsplit(".", 2)[0]
    return name if hasattr(sys.modules.get(name), "_spec_file") else ""


def spec_path(module: str) -> str:
    """The spec that a module's package was generated from; empty where it is no generated package."""
    package: Any = sys.modules.get(generated_package(module))
    return "" if package is None else os.path.join(os.path.dirname(package.__file__ or ""), package._spec_file)


def _lines_now(path: str) -> dict[str, int]:
    try:
        result = os.stat(path)
        return _lines(path, result.st_mtime_ns, result.st_size)
    except OSError:
        return {}


@functools.lru_cache(maxsize=8)
def _lines(path: str, changed: int, size: int) -> dict[str, int]:
    first: dict[str, int] = {}
    other: dict[str, int] = {}  # where `name` is not the first key, or a line of another value looks so
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if match := _ENTRY.match(text):
                (first if match[1] else other).setdefault(match[3], number)
    return other | first
