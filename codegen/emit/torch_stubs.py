"""What type checkers read of PyTorch's modules that exist by name only: a stub for each entry of the table."""

import runpy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .files import Files

LATER = "named_later"  # the stub of what the package itself loads when it is first named
_PYTHON = "python."
_ANSWERS = "def __getattr__(name: str) -> Any: ..."
_FUNCTION = "def {}(*args: Any, **kwargs: Any) -> {}: ..."
_MARK = """@overload
def {0}(fn: _Same, /) -> _Same: ...
@overload
def {0}(*args: Any, **kwargs: Any) -> Any: ..."""
_NEEDED = {
    "AbstractContextManager": "from contextlib import AbstractContextManager",
    "Any": "from typing import Any",
    "NoReturn": "from typing import NoReturn",
    "_Same": "from typing import TypeVar, overload",
}
_PLAIN = (bool, int, float, str)


def torch_stubs(table: Path) -> Files:
    result: dict[str, Any] = {}
    for file in (table, table.with_name("unavailable.py"), table.with_name("later_names.py")):
        result |= runpy.run_path(str(file))
    root = table.parent.parent
    # Folders: of a file alone editors say that there is no module behind it.
    files = {f"{name.replace('.', '/')}/__init__.pyi": _Stub(name, result, root).text() for name in result["NAMES"]}
    lent = result | {"NAMES": {LATER: result["entries"](result["LATER"])}}
    return files | {f"{LATER}.pyi": _Stub(LATER, lent, root).with_all()}


@dataclass(frozen=True)
class _Stub:
    module: str
    table: Mapping[str, Any]
    root: Path  # the folder that the package specgrad lies in

    @property
    def title(self) -> str:
        if self.module == LATER:
            return "What specgrad loads when it is first named: written from `later_names.py`."
        return f"PyTorch's `torch.{self.module}`, by names: written from `torch_names.py`."

    def text(self) -> str:
        title = f'"""{self.title}"""'
        settings = self.table["SETTINGS"].get(self.module, {})
        typed = [f"{name}: {_type(value)}" for name, value in settings.items()]
        typed += self._absent()
        borrowed = [name.endswith("()") or (name == "*" and module == "specgrad") for module, name, _ in self._names()]
        if self.module in self.table["BORROWERS"] or any(borrowed):
            typed.append(f"\n{_ANSWERS}")
        named = {name for _, name, _ in self._names()}
        needed = [line for name, line in _NEEDED.items() if name not in named and any(name in text for text in typed)]
        same = ['_Same = TypeVar("_Same")'] if _NEEDED["_Same"] in needed else []
        aliases = [f"{name} = {there}" for _, name, there in self._names() if name != there]
        return "\n".join([title, "", *needed, *self._imports(), *same, *aliases, *typed, ""])

    def with_all(self) -> str:
        """Private names too are offered to `import *`."""
        return f"{self.text()}\n__all__ = {[name for _, name, _ in self._names()]}\n"

    def _names(self) -> Iterator[tuple[str, str, str]]:
        for entry in self.table["NAMES"][self.module]:
            module, _, phrases = entry.partition(":")
            own = module.removeprefix(_PYTHON) if module.startswith(_PYTHON) else f"specgrad.{module}".rstrip(".")
            for name, _, there in (word.partition("=") for word in phrases.split()):
                yield own, name, there or name

    def _imports(self) -> Iterator[str]:
        named = {name for _, name, _ in self._names()}
        for op_library, name, there in self._names():
            if name == "*" and op_library != "specgrad":
                yield f"from {op_library} import *"
            elif name == there and name.isidentifier():
                yield f"from {op_library} import {name} as {name}"
            elif name.isidentifier() and there not in named:
                yield f"from {op_library} import {there}"
        yield from (f"from . import {name} as {name}" for name in self._below() if name not in named)

    def _below(self) -> Iterator[str]:
        star_imports = [op_library.replace(".", "/") for op_library, name, _ in self._names() if name == "*"]
        paths = [self.root / op_library / "__init__.py" for op_library in star_imports]
        init_sources = [path.read_text() for path in paths if path.is_file()]
        for name in self.table["NAMES"]:
            above, _, last = name.rpartition(".")
            if above == self.module and not any(f'    "{last}",' in source for source in init_sources):
                yield last

    def _absent(self) -> Iterator[str]:
        for full, (what, *_) in self.table["WHY"].items():
            module, _, name = full.rpartition(".")
            if module == self.module and what is self.table["absent"]:
                yield f"class {name}:\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ..."
            elif module == self.module and isinstance(what, self.table["Question"]):
                yield f"def {name}() -> {type(what.answer).__name__}: ..."
            elif module == self.module:
                is_mark = what is self.table["mark"]
                yield from _MARK.format(name).splitlines() if is_mark else [_FUNCTION.format(name, self._result(what))]

    def _result(self, what: Any) -> str:
        if what is self.table["block"]:
            return "AbstractContextManager[list[Any]]"
        return "NoReturn" if isinstance(what, type) else "None" if what is None else type(what).__name__


def _type(value: Any) -> str:
    if value is None:
        return "str | None"
    if isinstance(value, list):
        return f"list[{_type(value[0])}]"
    return type(value).__name__ if isinstance(value, _PLAIN) else "Any"
