"""`hub`: models of a folder, and weights by their address, kept in a folder and checked by their hash."""

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ..serialization.save_load import load as load_file

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_CHUNK = 1 << 17
_chosen: list[str] = []  # the folder that set_dir was called with


def get_dir() -> str:
    """The folder of what was downloaded: that of `set_dir`, else `$TORCH_HOME/hub`, else PyTorch's own in the cache.

    Weights of an address are the same files for both libraries, so they share the folder.
    """
    return _chosen[0] if _chosen else os.path.join(hub_root(), "hub")


def hub_root() -> str:
    """The folder of what PyTorch keeps: `$TORCH_HOME`, else `torch` in the user's cache."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "torch")
    return os.path.expanduser(os.environ.get("TORCH_HOME", cache))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose the folder of what is downloaded.

    Args:
        d: the folder.
    """
    _chosen[:] = [os.path.expanduser(os.fspath(d))]


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Write what is at an address to a file, whole or not at all.

    Args:
        url: the address.
        dst: the file.
        hash_prefix: what the SHA-256 of the content begins with, in hexadecimal.
        progress: whether to say on a terminal how far it is.

    Raises:
        RuntimeError: the content has another hash; nothing is written.
        urllib.error.URLError: the address cannot be reached.
    """
    dst = os.path.expanduser(dst)
    request = urllib.request.Request(url, headers={"User-Agent": "specgrad.hub"})
    handle, partial = tempfile.mkstemp(suffix=".partial", dir=os.path.dirname(dst) or ".")
    try:
        with os.fdopen(handle, "wb") as file, urllib.request.urlopen(request) as source:
            result = _copied(source, file.write, progress and sys.stderr.isatty())
        if hash_prefix is not None and result[: len(hash_prefix)] != hash_prefix:
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{result}")')
        os.replace(partial, dst)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def _copied(source: Any, write: Callable[[bytes], Any], shown: bool) -> str:
    total = int(source.headers.get("Content-Length") or 0)
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        write(chunk)
        digest.update(chunk)
        size += len(chunk)
        if shown:
            part = f"{100 * size // total} %" if total else f"{size >> 20} MiB"
            print(f"\r{part}", end="", file=sys.stderr)
    if shown:
        print(file=sys.stderr)
    return digest.hexdigest()


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """What `load` reads from the file at an address, which is downloaded the first time.

    Args:
        url: the address.
        model_dir: the folder that the file is kept in; `checkpoints` in that of `get_dir` when left out.
        map_location: as of `load`.
        progress: whether to say on a terminal how far the download is.
        check_hash: whether the file's name ends in `-` and the first digits of its SHA-256, which are compared.
        file_name: its name in the folder; that of the address when left out.
        weights_only: files are always read without running code of theirs.

    Raises:
        RuntimeError: the content has another hash, or `load` cannot read it.
        urllib.error.URLError: the address cannot be reached.
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else os.path.expanduser(model_dir)
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urllib.parse.urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        print(f'Downloading: "{url}" to {path}', file=sys.stderr)
        result = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, result[1] if result else None, progress)
    return load_file(_unpacked(path, folder), map_location=map_location)


def _unpacked(path: str, folder: str) -> str:
    """The file itself, or the only one of a ZIP archive that holds one; a checkpoint is an archive of several."""
    if not zipfile.is_zipfile(path):
        return path
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) != 1 or "/" in members[0].filename:
            return path
        return archive.extract(members[0], folder)


def _entries(repo_or_dir: str, source: str) -> ModuleType:
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise RuntimeError(
            f"specgrad.hub: {repo_or_dir!r} would be downloaded from GitHub and run, which is not done here; get the "
            "repository yourself and give its folder with source='local'"
        )
    folder = Path(repo_or_dir).expanduser()
    spec = importlib.util.spec_from_file_location("hubconf", folder / "hubconf.py")
    if spec is None or spec.loader is None:
        raise RuntimeError(f"specgrad.hub: cannot load {folder / 'hubconf.py'}")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """What a function of a folder's `hubconf.py` returns.

    Args:
        repo_or_dir: the folder.
        model: the name of the function.
        *args, **kwargs: its arguments.
        source: 'local'; 'github' is refused.
        trust_repo, force_reload, verbose, skip_validation: what is done with a repository of GitHub.

    Raises:
        RuntimeError: the source is 'github', or there is no such function.
    """
    return _entry(_entries(repo_or_dir, source), model)(*args, **kwargs)


def _entry(module: ModuleType, model: str) -> Callable[..., Any]:
    function = getattr(module, model, None)
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return function


def list_entries(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
    source: str = "github",
) -> list[str]:
    """The names of the functions in a folder's `hubconf.py`: `hub.list`; arguments as of `load`.

    Args:
        github: the folder.
    """
    module = _entries(github, source)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    source: str = "github",
) -> str | None:
    """The docstring of a function in a folder's `hubconf.py`; arguments as of `load`.

    Args:
        github: the folder.
    """
    return _entry(_entries(github, source), model).__doc__


class Silent:
    """What takes the place of a bar of progress: it counts, and shows nothing.

    Args:
        iterable: what is gone through.
        total: how many steps there are.
        disable, **kwargs: how a bar would look.

    Example:
        >>> with Silent(total=2) as bar:
        ...     bar.update(1)
        >>> bar.n, list(Silent("ab"))
        (1, ['a', 'b'])
    """

    def __init__(self, iterable: Any = (), total: Any = None, disable: bool = False, **kwargs: Any) -> None:
        self._iterable = iterable
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n: Any = 1) -> None:
        self.n += n

    def set_description(self, *args: Any, **kwargs: Any) -> None:
        """What a bar would say."""

    def write(self, s: str, **kwargs: Any) -> None:
        print(s)

    def close(self) -> None:
        """End the bar."""

    def __iter__(self) -> Any:
        return iter(self._iterable)

    def __enter__(self) -> "Silent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def bar_class() -> Any:
    """The class `tqdm` of the package of that name; `Silent` where it is not installed."""
    return import_module("tqdm.auto").tqdm if find_spec("tqdm") else Silent
