"""Puts rendered files on disk: only where they changed, each at once, and only what is the generator's.

The tree is laid out by the ruff that constraints.txt pins; the manifest of a package outside it says which layout it
has.
"""

import difflib
import dis
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from ..library.files import (
    MANIFEST,
    Manifest,
    Refused,
    check_folders,
    check_root,
    folders_of,
    is_below,
    kind,
    merge_manifest,
    parse,
    plain_bytes,
    read_manifest,
)
from ..library.modules import RUNTIME
from ..spec.memo import MEMO, digest
from ..spec.model import Entry, Problem, Where

Files = dict[str, str]  # path below the output folder -> text
COMPILED = (".pyc", ".nbi", ".nbc")  # by Python and by numba
PART = re.compile(r"\.specgrad-[0-9a-f]{16}\.part")  # a file that is being written


def write_new(root: Path, files: Files) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


@dataclass(frozen=True)
class WritePlan:
    """The changes that a run is going to make to a folder; making the plan has shown that nothing is in the way."""

    root: Path
    files: Files  # the manifest included
    old: Manifest
    changed: tuple[str, ...]
    gone: tuple[str, ...]  # written earlier, no longer produced
    retained: tuple[str, ...]  # no longer produced, but changed since they were written

    def carry_out(self) -> None:
        """Write and delete; a run that is killed here leaves a folder that the next run completes."""
        self.root.mkdir(parents=True, exist_ok=True)
        for entry in list(os.scandir(self.root)):
            if PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                os.unlink(entry.path)
        if not self.changed and not self.gone:
            return
        replace(self.root, MANIFEST, merge_manifest(self.files[MANIFEST], self.old))
        for name in self.changed:
            if name != MANIFEST:
                replace(self.root, name, self.files[name])
        for name in self.gone:
            remove(self.root, name)
        replace(self.root, MANIFEST, self.files[MANIFEST])


def plan(root: Path, files: Files) -> WritePlan:
    check_root(root)
    old = read_manifest(root)
    new = parse(files[MANIFEST], root / MANIFEST)
    if old.spec and old.spec != new.spec:
        message = f"expected the output of {new.spec}, found that of {old.spec}: give each spec a folder of its own"
        raise Refused(f"{root / MANIFEST}:1:1: {message}")
    check_folders(root, iter(files))
    before = {name: _content(root, name, files[name], old) for name in files}
    changed = tuple(name for name, text in files.items() if before[name] != text.encode())
    left = orphans(root, files, old)
    gone = tuple(name for name in left if old.has_written(name, plain_bytes(root / name) or b""))
    return WritePlan(root, files, old, changed, gone, tuple(name for name in left if name not in gone))


def _content(root: Path, name: str, text: str, old: Manifest) -> bytes | None:
    result, path = kind(root / name), root / name
    if result not in ("", "file"):
        raise Refused(f"{path}: expected a file to write, found a {result}: move it away")
    content = plain_bytes(path)
    if content is not None and content != text.encode() and not old.owns(name) and name != MANIFEST:
        what = f"a file that {MANIFEST} lists" if old.hashes else "none, or one that the generator wrote"
        raise Refused(f"{path}: expected {what}, found another: move it away, or choose another folder")
    return content


def orphans(root: Path, files: Files, old: Manifest) -> list[str]:
    return sorted(name for name in old.hashes if name not in files and is_below(root, name))


def replace(root: Path, name: str, text: str) -> None:
    """Write a file at once: whoever looks finds the old one or the new one whole, and so does whoever kills us."""
    path, part = root / name, root / f".specgrad-{secrets.token_hex(8)}.part"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(part, "xb") as file:
            file.write(text.encode())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def remove(root: Path, name: str) -> None:
    path = root / name
    path.unlink(missing_ok=True)
    cache = path.parent / "__pycache__"
    if kind(cache) == "folder":
        for compiled in list(cache.iterdir()):
            ours = compiled.name.startswith(f"{path.stem}.") and compiled.suffix in COMPILED
            if ours and kind(compiled) == "file":
                compiled.unlink(missing_ok=True)
    folders = [root / folder for folder in folders_of(name)]
    with suppress(OSError):  # one is not empty, or not there
        for folder in (cache, *reversed(folders)):
            if folder != cache or kind(cache):
                folder.rmdir()


def differences(root: Path, files: Files) -> list[str]:
    lines: list[str] = []
    for name, text in sorted(files.items()):
        old = (plain_bytes(root / name) or b"").decode("utf-8", errors="replace").splitlines(keepends=True)
        new = text.splitlines(keepends=True)
        lines += difflib.unified_diff(old, new, f"{root.name}/{name}", f"{root.name}/{name} (rendered)")
    lines += [f"orphan: {root / name}\n" for name in orphans(root, files, read_manifest(root))]
    return lines


CONSTRAINTS = RUNTIME.parent / "constraints.txt"
PIN = re.compile(r"^ruff==(\S+)$", re.MULTILINE)
VERSION = re.compile(r"ruff (\d[\w.+-]*)\s")


class OtherLayout(Exception):
    """Text cannot be laid out as what it belongs beside."""


@dataclass(frozen=True)
class Formatter:
    """A ruff that can be run; `layout` names what it makes."""

    path: str
    layout: str  # "ruff 0.17.5"

    def formatted_files(self, files: Files) -> Files:
        keys = {name: digest("layout", self.layout, name, text) for name, text in files.items()}
        known = {name: content.decode() for name, key in keys.items() if (content := MEMO.get(key)) is not None}
        fresh = self._formatted({name: text for name, text in files.items() if name not in known})
        for name, text in fresh.items():
            MEMO.put(keys[name], text.encode())
        return {name: known[name] if name in known else fresh[name] for name in files}

    def _formatted(self, files: Files) -> Files:
        if not files:
            return files
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            write_new(root, files)
            common = ("--isolated", "--quiet", "--line-length", "120", ".")
            self._run(root, "check", "--fix", "--select", "I,F401", *common)
            self._run(root, "format", "--config", "format.skip-magic-trailing-comma=true", *common)
            return {name: (root / name).read_text(encoding="utf-8") for name in files}

    def _run(self, root: Path, *arguments: str) -> None:
        """Run it in a folder: in that of the user, packages beside it would be sorted apart."""
        command = [str(Path(self.path).absolute()), *arguments]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", cwd=root)
        if done.returncode:
            message = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
            raise OtherLayout(f"{self.path} {arguments[0]} failed: {message[0]}")


def installed() -> Formatter | None:
    path = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if path is None:
        return None
    try:
        done = subprocess.run([path, "--version"], capture_output=True, encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = VERSION.match(done.stdout)
    return Formatter(path, f"ruff {match[1]}") if match and not done.returncode else None


def pinned() -> str:
    result = PIN.search(CONSTRAINTS.read_text(encoding="utf-8")) if CONSTRAINTS.is_file() else None
    return f"ruff {result[1]}" if result else ""


def layout_of(formatter: Formatter | None) -> str:
    return "" if formatter is None else formatter.layout


def other_layout(what: str, requested: str, formatter: Formatter | None) -> OtherLayout:
    result = layout_of(formatter) or "none"
    install = f"python -m pip install {requested.replace(' ', '==')}"
    return OtherLayout(f"{what}: expected {requested} to lay it out, found {result}: {install}")


DEFINITION = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
FAMILIES = ("ops", "nodes")  # packages of which each module is one of a family
FileLine = tuple[str, int]  # a file and its line
Fault = tuple[int, str]  # a line, and what is wrong in it


class NotPython(Exception):
    """Rendered files that cannot be written, with the entries that make them so."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def check_python(files: Mapping[str, str], owners: Mapping[str, Entry], spec: str) -> None:
    problems = []
    for name, text in files.items():
        if name.endswith((".py", ".pyi")):
            faults: list[Fault] = MEMO.of(digest("python", name, text), partial(list, _faults(name, text)))
            for line, message in faults:
                end = len("".join(text.splitlines(keepends=True)[:line]))
                above = [match[1] for match in DEFINITION.finditer(text) if match.start() < end]
                entry = owners.get("".join(above[-1:])) or owners.get(PurePosixPath(name).stem)
                where, op = (entry.where, entry.name) if entry else (Where(spec, 1, 1), "")
                problems.append(Problem(where, op, "", f"the generated {name} would be no Python: {message}"))
    first: dict[str, str] = {}
    for file, text in files.items():
        if PurePosixPath(file).parent.name in FAMILIES and file.endswith(".py"):
            for name in DEFINITION.findall(text):
                if first.setdefault(name, file) != file:
                    message = f"both {first[name]} and {file} would define '{name}'"
                    problems.append(Problem(owners[name].where, owners[name].name, "", message))
    if problems:
        raise NotPython(problems)


def _faults(name: str, text: str) -> Iterator[Fault]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nor anything that Python warns of, as of `x is 1`
            module = compile(text, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        yield error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        yield 1, str(error) or type(error).__name__
    else:
        if name.endswith(".py"):  # a stub names overloads again and again
            # Names that a module binds twice, read off its code: there no syntax tree has to be made
            bound: set[str] = set()
            line = 1
            for instruction in dis.get_instructions(module):
                line = getattr(instruction, "line_number", instruction.starts_line) or line
                if instruction.opname == "STORE_NAME":
                    if instruction.argval in bound:
                        yield line, f"'{instruction.argval}' would have two meanings"
                    bound.add(instruction.argval)
