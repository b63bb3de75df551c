"""What earlier runs of the generator made, found by what it was made from: the text at hand, the generator's own code,
and the versions of what it runs with. A run keeps what it used or made; what none of the last runs used is dropped."""

import hashlib
import os
import pickle
import platform
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")

GENERATOR = Path(__file__).parents[1]
VERSIONS = ("jinja2", "numpy", "pyyaml", "scipy")
MAX_AGE = 4  # runs that a result is kept without being used


class Memo:
    """Results by digest. Off until a command opens it, so that who calls a part of the generator gets it computed."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self._results: dict[str, tuple[int, bytes]] = {}
        self._run = 0
        self._changed = False

    @contextmanager
    def opened(self, name: str) -> Iterator[None]:
        self.path = _path(name)
        if self.path is not None:
            with suppress(Exception):  # there is none yet, or it is damaged, which pickle says in many ways
                run, self._results = pickle.loads(self.path.read_bytes())
                self._run = run + 1
        try:
            yield
        finally:
            if self.path is not None and self._changed:
                self._write(self.path)
            self.__init__()  # type: ignore[misc]

    def get(self, key: str) -> bytes | None:
        if key not in self._results:
            return None
        self._results[key] = self._run, self._results[key][1]
        return self._results[key][1]

    def put(self, key: str, content: bytes) -> None:
        if self.path is not None:
            self._results[key] = self._run, content
            self._changed = True

    def of(self, key: str | None, make: Callable[[], Result]) -> Result:
        """The result under a key, if there is one, or that which `make` gives; it can be pickled."""
        content = self.get(key) if key is not None else None
        if content is not None:
            result: Result = pickle.loads(content)
            return result
        result = make()
        if self.path is not None and key is not None:
            self.put(key, pickle.dumps(result, -1))
        return result

    def _write(self, path: Path) -> None:
        used = {key: each for key, each in self._results.items() if self._run - each[0] < MAX_AGE}
        part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(pickle.dumps((self._run, used), -1))
            part.replace(path)


MEMO = Memo()


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join((_generator(), *parts)).encode()).hexdigest()


def digest_of_files(root: Path, paths: Iterable[Path]) -> str:
    hashes = hashlib.sha256()
    for path in paths:
        hashes.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return hashes.hexdigest()


@cache
def _generator() -> str:
    code = sorted(path for pattern in ("*.py", "*.j2") for path in GENERATOR.rglob(pattern))
    versions = [f"{name} {version(name)}" for name in VERSIONS]
    return "\n".join([digest_of_files(GENERATOR, code), __name__, platform.python_version(), *versions])


def _path(name: str) -> Path | None:
    """A file beside the compiled kernels, for all specs of a name: results are found by content."""
    named, above = os.environ.get("SPECGRAD_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    try:
        folder = Path(named) if named else (Path(above) if above else Path.home() / ".cache") / "specgrad"
    except RuntimeError:  # the user has no home
        return None
    return folder / "generator" / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.memo"
