"""Kernels are compiled ahead by other processes, once each, and a terminal says what is waited for."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from numba import types

from specgrad.runtime.kernels import first
from specgrad.runtime.kernels.cache import ahead, claims, store
from tests.patience import PATIENCE
from tests.repository import ROOT

DIGEST = b"\2" * 32
PROGRAM = "import specgrad as sg; print((sg.ones(3) * 2).sum().item())"


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A place of the test's own."""
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def python(program: str, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, text=True, stdout=subprocess.PIPE, **more)


def test_another_process_claims_an_entry_until_it_is_gone(tmp_path: Path) -> None:
    entry = tmp_path / "folder" / "entry"
    assert claims.claim(entry) and claims.claim(entry)  # the second time it is its own
    claims.release(entry)
    program = f"""
from pathlib import Path
from specgrad.runtime.kernels.cache import claims
print(claims.claim(Path({str(entry)!r})), flush=True)
input()
"""
    other = python(program, stdin=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == "True\n"
    assert not claims.claim(entry)
    other.communicate("\n", timeout=PATIENCE)
    assert claims.claim(entry)


def test_a_claim_has_its_time(tmp_path: Path) -> None:
    """Whoever is stuck keeps nobody waiting for ever; nor does a number that is no process."""
    entry, mark = tmp_path / "entry", tmp_path / "entry.claim"
    mark.write_text(str(os.getppid()), encoding="ascii")
    assert not claims.claim(entry)
    os.utime(mark, (time.time() - 2 * claims.PATIENCE,) * 2)
    assert claims.claim(entry)
    mark.write_text("nobody", encoding="ascii")
    assert claims.claim(entry)


def test_where_nothing_can_be_written_everybody_compiles(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert claims.claim(tmp_path / "file" / "entry")


def test_what_another_process_compiles_is_waited_for() -> None:
    program = f"""
import time
from specgrad.runtime.kernels.cache import store
assert store.obtain({DIGEST!r}) is None
print("claimed", flush=True)
time.sleep(0.5)
store.keep({DIGEST!r}, b"code")
"""
    other = python(program)
    assert other.stdout is not None and other.stdout.readline() == "claimed\n"
    assert store.obtain(DIGEST) == b"code"
    assert other.communicate(timeout=PATIENCE)[0] == "" and other.returncode == 0


def test_who_gives_up_lets_others_compile() -> None:
    assert store.obtain(DIGEST) is None
    store.give_up(DIGEST)
    other = python(f"from specgrad.runtime.kernels.cache import store; print(store.obtain({DIGEST!r}))")
    assert other.communicate(timeout=PATIENCE)[0] == "None\n"


@pytest.mark.parametrize("line", sorted({line for lines in ahead.programs().values() for line in lines}))
def test_a_line_of_the_list_names_a_kernel(line: str) -> None:
    """And says what it takes as `line_of` would."""
    module, name, text = line.split(" ", 2)
    kernel, kinds = first.dispatcher_of(module, name), first.kinds_of(text)
    assert len(kernel.py_func.__code__.co_varnames) >= len(kinds)
    assert first.line_of(f"{first.OWN}.{module}", name, kinds) == line


def test_types_are_written_as_numba_reads_them() -> None:
    i, f, b = types.int64, types.float32, types.bool_
    kinds = [i, b, types.Array(f, 2, "C"), types.Array(b, 3, "A"), types.Tuple((i, i)), types.Tuple((f[::1], f))]
    line = first.line_of("m", "f", kinds)
    assert line is not None and list(first.kinds_of(line.removeprefix("m f "))) == kinds
    assert first.line_of("m", "f", [types.Array(f, 1, "C", readonly=True)]) is None


@pytest.fixture
def two_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {"some": ("a f ()", "a g ()", "b f ()"), "other": ("a f ()", "c f ()")}
    monkeypatch.setattr(ahead, "programs", lambda: lines)


@pytest.mark.usefixtures("two_programs")
def test_kernels_of_the_program_that_waits_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()
    monkeypatch.setattr(ahead, "asked", lambda: asked)
    assert [line for line, _ in first.remaining(0, 1)] == ["a f ()", "a g ()", "b f ()", "c f ()"]
    assert [line for line, _ in first.remaining(1, 2)] == ["a g ()", "b f ()", "a f ()", "c f ()"]
    asked += ["a f", "c f"]
    assert [line for line, _ in first.remaining(0, 1)] == ["a f ()", "c f ()", "a g ()", "b f ()"]


@pytest.mark.usefixtures("two_programs")
def test_who_compiles_ahead_ends_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next program begins again; where all has been gone through, none does."""
    compiled = list[str]()
    monkeypatch.setattr(first, "compile_line", compiled.append)
    monkeypatch.setattr(first.os, "nice", lambda more: more)
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(ahead, "_start", lambda k, count: None)
    monkeypatch.setenv(ahead.SETTING, "1")
    mark = ahead.progress_file()
    assert mark is not None and ahead.begin.__wrapped__() and not ahead.begin.__wrapped__()
    first.main(0, 1, os.getpid())  # whose parent is another
    assert not compiled and not mark.exists()
    assert ahead.begin.__wrapped__()
    first.main(0, 1, os.getppid())
    assert compiled == ["a f ()", "a g ()", "b f ()", "c f ()"] and mark.read_text() == "4/3"
    assert not ahead.begin.__wrapped__() and not ahead.asked()


def test_a_program_says_what_it_compiles(own_folder: Path) -> None:
    """While there are processes that want to know."""
    mark = ahead.progress_file()
    assert mark is not None
    mark.parent.mkdir(parents=True)
    ahead._ask("a f")
    assert ahead.asked() == []
    ahead._asked_file(mark).touch()
    ahead._ask("a f")
    ahead._ask("b g")
    assert ahead.asked() == ["a f", "b g"]


def test_a_program_compiles_nothing_of_what_was_compiled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ("generated.kernels.cpu.relu forward (float32[::1], float32[::1])",)
    monkeypatch.setattr(ahead, "programs", lambda: {"some": needed})
    first.main(0, 1, os.getppid())
    program = """
import specgrad as sg
from specgrad.warmup import Compiled
from numba.core import event
with event.install_listener("numba:compile", seen := Compiled()):
    sg.nn.functional.relu(sg.tensor([1.0, -1.0]))
print(seen.count)
"""
    other = python(program)
    assert other.communicate(timeout=PATIENCE)[0] == "0\n"


def test_a_terminal_says_what_is_compiled() -> None:
    """The line is gone in the end; a pipe gets none."""
    master, slave = pty.openpty()
    shown = python(PROGRAM, stderr=slave)
    assert shown.communicate(timeout=PATIENCE)[0] == "6.0\n"
    text = os.read(master, 1 << 16).decode()
    os.close(slave)
    os.close(master)
    assert "specgrad: compiling native code, once per machine" in text and text.endswith(ahead.ERASE)


def test_a_pipe_says_nothing(own_folder: Path) -> None:
    quiet = python(PROGRAM, stderr=subprocess.PIPE)
    assert quiet.communicate(timeout=PATIENCE) == ("6.0\n", "")
    assert any((own_folder / "kernels").iterdir())
