"""Kernels are compiled ahead by other processes, once each, and a terminal says what is waited for."""

from __future__ import annotations

import gc
import io
import os
import pty
import re
import subprocess
import sys
import time
import types
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from numba import types as nb

from specgrad.runtime.compiler import native_unit
from specgrad.runtime.compiler.cache import directory, precompile, progress, store
from specgrad.runtime.compiler.cache import store as lowered
from specgrad.runtime.compiler.passes import loading
from specgrad.runtime.device.threads import worker_threads
from specgrad.runtime.kernels import warmup
from tests.compiler.shipped_machines import MODULES
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


def told() -> dict[str, str]:
    """An environment in which users are told of compiling."""
    return {name: value for name, value in os.environ.items() if name != progress.SETTING}


def test_another_process_claims_an_entry_until_it_is_gone(tmp_path: Path) -> None:
    entry = tmp_path / "folder" / "entry"
    assert directory.claim(entry) and directory.claim(entry)  # the second time it is its own
    directory.release(entry)
    program = f"""
from pathlib import Path
from specgrad.runtime.compiler.cache import directory
print(directory.claim(Path({str(entry)!r})), flush=True)
input()
"""
    other = python(program, stdin=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == "True\n"
    assert not directory.claim(entry)
    other.communicate("\n", timeout=PATIENCE)
    assert directory.claim(entry)


def test_a_claim_has_its_time(tmp_path: Path) -> None:
    """Whoever is stuck keeps nobody waiting for ever; nor does a number that is no process."""
    entry, mark = tmp_path / "entry", tmp_path / "entry.claim"
    mark.write_text(str(os.getppid()), encoding="ascii")
    assert not directory.claim(entry)
    os.utime(mark, (time.time() - 2 * directory.PATIENCE,) * 2)
    assert directory.claim(entry)
    mark.write_text("nobody", encoding="ascii")
    assert directory.claim(entry)


def test_nobody_waits_for_who_stands_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It claims nothing, but leaves to others what they have claimed."""
    entry, mark = tmp_path / "entry", tmp_path / "entry.claim"
    monkeypatch.setattr(directory, "_aside", [])
    directory.stand_aside()
    assert directory.claim(entry) and not mark.exists()
    mark.write_text(str(os.getppid()), encoding="ascii")
    assert not directory.claim(entry)


def test_where_nothing_can_be_written_everybody_compiles(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert directory.claim(tmp_path / "file" / "entry")


def test_what_another_process_compiles_is_waited_for() -> None:
    program = f"""
import time
from specgrad.runtime.compiler.cache import store
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
    other = python(f"from specgrad.runtime.compiler.cache import store; print(store.obtain({DIGEST!r}))")
    assert other.communicate(timeout=PATIENCE)[0] == "None\n"


@pytest.mark.parametrize("line", sorted({*chain(*(chain(*program) for program in precompile.programs().values()))}))
def test_a_line_of_the_list_names_a_kernel(line: str) -> None:
    """And says what it takes as `line_of` would."""
    module, name, text = line.split(" ", 2)
    kernel, kinds = warmup.dispatcher_of(module, name), warmup.kinds_of(text)
    assert len(kernel.py_func.__code__.co_varnames) >= len(kinds)
    assert warmup.line_of(f"{warmup.OWN}.{module}", name, kinds) == line


def test_types_are_written_as_numba_reads_them() -> None:
    i, f, b = nb.int64, nb.float32, nb.bool_
    kinds = [
        i,
        b,
        nb.Array(f, 2, "C"),
        nb.Array(b, 3, "A"),
        nb.Tuple((i, i)),
        nb.Tuple((f[::1], f)),
    ]
    line = warmup.line_of("m", "f", kinds)
    assert line is not None and list(warmup.kinds_of(line.removeprefix("m f "))) == kinds
    assert warmup.line_of("m", "f", [nb.Array(f, 1, "C", readonly=True)]) is None


@pytest.fixture
def two_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    some = precompile.Program(("a f ()", "a g ()", "b f ()"), ("d f ()",))
    other = precompile.Program(("a f ()", "c f ()", "b f ()"), ())
    monkeypatch.setattr(precompile, "programs", lambda: {"some": some, "other": other})


def order() -> list[str]:
    """All lines as a process compiles them, those that are likely to be needed marked."""
    done = dict[str, str]()
    while (found := warmup.next_line(done)) is not None:
        done[found[0]] = found[0].removesuffix(" ()") + "!" * found[1]
    return [*done.values()]


@pytest.mark.usefixtures("two_programs")
def test_kernels_of_the_program_that_waits_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that it needs last, as it begins at the other end; what all need before what only its like do."""
    requested_programs = list[str]()
    monkeypatch.setattr(precompile, "requested_programs", lambda: requested_programs)
    assert order() == ["b f!", "a f!", "a g", "d f", "c f"]  # nothing speaks for either program
    requested_programs += ["a f", "c f", "unknown f"]
    assert order() == ["b f!", "a f!", "c f!", "a g", "d f"]
    requested_programs[:] = ["a f", "a g"]
    assert order() == ["b f!", "a f!", "a g!", "d f!", "c f"]


@pytest.mark.usefixtures("two_programs")
def test_what_a_program_would_have_asked_for_counts() -> None:
    """Who has come to the end without a kernel does not need it."""
    weights = warmup.weights_of(["a f", "c f", "b f"])
    assert [*weights.values()] == [warmup.LIKE**2, 1.0]


@pytest.mark.usefixtures("two_programs")
def test_who_waits_compiles_what_it_needs_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its first step, each once; then there is nothing to do."""
    compiled = list[str]()
    monkeypatch.setattr(warmup, "compile_line", compiled.append)
    monkeypatch.setattr(warmup, "_begun", set())
    monkeypatch.setattr(precompile, "requested_programs", lambda: ["a f", "c f"])
    assert warmup.compile_next() and warmup.compile_next() and warmup.compile_next() and not warmup.compile_next()
    assert compiled == ["a f ()", "c f ()", "b f ()"]


def test_the_list_says_what_comes_after_the_first_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("# some\na f ()\nb f ()\n\nc f ()\n# other\na f ()\n\n# last\nd f ()\n\n", encoding="utf-8")
    monkeypatch.setattr(precompile, "LIST", path)
    found = precompile.programs.__wrapped__()
    assert found == {"some": (("a f ()", "b f ()"), ("c f ()",)), "other": (("a f ()",), ()), "last": (("d f ()",), ())}


def test_what_another_process_compiles_is_passed_over() -> None:
    """By who compiles ahead; who needs it waits, and compiles something else meanwhile."""
    program = f"""
import time
from specgrad.runtime.compiler.cache import store
assert store.obtain({DIGEST!r}) is None
print("claimed", flush=True)
input()
store.keep({DIGEST!r}, b"code")
"""
    other = python(program, stdin=subprocess.PIPE)
    assert other.stdout is not None and other.stdin is not None and other.stdout.readline() == "claimed\n"
    with precompile.passing_over(), pytest.raises(precompile.CompiledElsewhere):
        store.obtain(DIGEST, precompile.meanwhile)
    begun = list[str]()

    def something() -> None:
        if not begun:
            other.communicate("\n", timeout=PATIENCE)
        begun.append("kernel")

    assert store.obtain(DIGEST, something) == b"code" and begun


def test_processes_import_nothing_of_the_folder_where_a_program_runs(tmp_path: Path, own_folder: Path) -> None:
    """Which may have modules of the same names."""
    (tmp_path / "specgrad").mkdir()
    (tmp_path / "specgrad" / "__init__.py").write_text(f"open({str(tmp_path / 'seen')!r}, 'w')", encoding="utf-8")
    program = f"""
import os, sys, time
sys.path[:1] = [{str(ROOT)!r}]
from specgrad.runtime.compiler.cache import precompile
precompile.os.cpu_count = lambda: 2
precompile.begin()
begun = {{precompile.mark_file().name, precompile._request_file(precompile.mark_file()).name}}
while {{*os.listdir(precompile.mark_file().parent)}} <= begun and not os.path.exists({str(tmp_path / "seen")!r}):
    time.sleep(0.05)  # until a process begins with a kernel
"""
    environment = {**os.environ, precompile.SETTING: "1"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True, timeout=PATIENCE)
    assert not (tmp_path / "seen").exists()


def test_native_code_that_somebody_waits_for_is_not_kept(monkeypatch: pytest.MonkeyPatch, own_folder: Path) -> None:
    """It comes unoptimised and at once, while other processes compile what the next program finds."""
    unit = worker_threads.UNIT
    monkeypatch.setattr(lowered, "find", lambda digest: None)  # none comes with specgrad
    monkeypatch.setattr(precompile, "begin", lambda: True)
    for _ in range(2):
        quick = unit.code()
        assert not any((own_folder / "kernels").iterdir())
    monkeypatch.setattr(precompile, "begin", lambda: False)
    well = unit.code()
    assert len(well) < len(quick) and len([*(own_folder / "kernels").iterdir()]) == 1
    monkeypatch.setattr(precompile, "begin", lambda: True)
    assert unit.code() == well
    names = [function.name for function in unit.functions]
    assert native_unit.load(quick, names).keys() == native_unit.load(well, names).keys()


@pytest.mark.skipif(not MODULES, reason="no machine code is carried for such machines")
def test_native_code_that_is_carried_is_kept(monkeypatch: pytest.MonkeyPatch, own_folder: Path) -> None:
    """As it would be compiled here; nobody compiles it."""
    unit = worker_threads.UNIT
    with monkeypatch.context() as without:
        without.setattr(native_unit, "translated", None)
        prebuilt = unit.code()
    assert prebuilt == lowered.find(unit.digest()) == unit.compiled()
    assert len([*(own_folder / "kernels").iterdir()]) == 1


def test_a_first_kernel_loads_nothing_of_scipy() -> None:
    """numba would look for a BLAS in it; who compiles a product by numba's means still finds that."""
    program = """
import sys
import numba, numpy as np
import specgrad as sg
(sg.ones(3, dtype=sg.int32) * 2).sum()  # a kernel that does not come with specgrad
print("numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)
print(numba.njit(lambda x, y: np.dot(x, y))(np.eye(2), np.ones((2, 2))).tolist())
"""
    assert python(program).communicate(timeout=PATIENCE)[0] == "True False\n[[1.0, 1.0], [1.0, 1.0]]\n"


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_left_alone_and_then_collected_as_before(collects: bool) -> None:
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with suppress(ValueError), loading.left_alone():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.usefixtures("two_programs")
def test_who_compiles_ahead_ends_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next program begins again; where all has been gone through, none does."""
    compiled = list[str]()
    monkeypatch.setattr(warmup, "compile_line", compiled.append)
    monkeypatch.setattr(warmup.os, "nice", lambda more: more)
    monkeypatch.setattr(precompile.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(precompile, "_start", lambda k: None)
    monkeypatch.setattr(warmup, "UNITS", ())
    monkeypatch.setattr(directory, "_aside", [])
    monkeypatch.setenv(precompile.SETTING, "1")
    mark = precompile.mark_file()
    assert mark is not None and precompile.begin.__wrapped__() and not precompile.begin.__wrapped__()
    warmup.main(0, os.getpid())  # whose parent is another
    assert not compiled and not mark.exists()
    assert precompile.begin.__wrapped__()
    warmup.main(0, os.getppid())
    assert compiled == ["b f ()", "a f ()", "a g ()", "d f ()", "c f ()"] and mark.exists()
    assert not precompile.begin.__wrapped__() and not precompile.requested_programs()


def test_a_program_says_what_it_compiles(own_folder: Path) -> None:
    """While there are processes that want to know."""
    mark = precompile.mark_file()
    assert mark is not None
    mark.parent.mkdir(parents=True)
    precompile._ask("a f")
    assert precompile.requested_programs() == []
    precompile._request_file(mark).touch()
    precompile._ask("a f")
    precompile._ask("b g")
    assert precompile.requested_programs() == ["a f", "b g"]


def test_a_program_compiles_nothing_of_what_was_compiled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ("generated.kernels.cpu.activation relu_forward (float32[::1], float32[::1])",)
    monkeypatch.setattr(precompile, "programs", lambda: {"some": precompile.Program(needed, ())})
    warmup.main(0, os.getppid())
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
    shown = python(PROGRAM, stderr=slave, env=told())
    assert shown.communicate(timeout=PATIENCE)[0] == "6.0\n"
    text = os.read(master, 1 << 16).decode()
    os.close(slave)
    os.close(master)
    first_compiled = "mul_tensor" if MODULES else "native code"
    assert f"{progress.TITLE}: 1, {first_compiled}" in text and text.endswith(progress.ERASE)


def test_a_log_says_when_compiling_begins_and_when_it_is_done() -> None:
    """Where it takes long; the program ends before the time after which nothing more is expected."""
    program = f"import {progress.__name__} as progress\nprogress.MIN_SECONDS = 0.0\n{PROGRAM}"
    slow = python(program, stderr=subprocess.PIPE, env=told())
    result, log = slow.communicate(timeout=PATIENCE)
    assert result == "6.0\n"
    assert re.fullmatch(rf"{progress.TITLE}\nspecgrad: compiled \d+ kernels? in \d+ s\n", log), log


def test_what_is_done_is_told_while_the_program_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "MIN_SECONDS_AT_FIRST", 0.0)
    monkeypatch.delenv(progress.SETTING, raising=False)
    state = progress.Progress()
    for _ in range(2):
        with state.waiting("sum", is_first=True), state.waiting("exp", is_first=True):  # one of the other's kernels
            assert state.timer is None or not state.timer.is_alive()
        assert state.timer is not None
        state.timer.join()
    began_and_ended = f"{progress.TITLE}\nspecgrad: compiled 1 kernel in 0 s\n"
    assert capsys.readouterr().err == began_and_ended * 2


class Bar:
    """What a notebook shows, in the place of tqdm's."""

    def __init__(self, desc: str, **options: Any) -> None:
        self.log = [desc]

    def set_postfix_str(self, text: str) -> None:
        self.log.append(text)

    def update(self) -> None:
        self.log.append("+1")

    def close(self) -> None:
        self.log.append("closed")


def test_a_notebook_has_a_bar_without_a_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.delenv(progress.SETTING, raising=False)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    state = progress.Progress()
    for op in ("sum", "exp"):
        with state.waiting(op, is_first=False):
            bar = state.bar
    state.end()
    assert bar.log == [progress.TITLE, "sum", "+1", "exp", "+1", "closed"]
    assert state.timer is not None
    state.timer.cancel()


@pytest.mark.parametrize(
    ("name", "module", "expected"),
    [
        ("relu_forward", "specgrad.generated.kernels.cpu.activation", "relu"),
        ("mul_tensor_backward_1", "specgrad.generated.kernels.cpu.arithmetic", "mul_tensor"),
        ("column_sums", "specgrad.runtime.ops.reduction.cpu_reduce_loops", "reduction"),
        ("native code", "", "native code"),
    ],
)
def test_kernels_are_named_by_their_ops(name: str, module: str, expected: str) -> None:
    assert progress.subject(name, module) == expected


def test_nothing_is_said_of_what_is_quick_or_not_to_be_said(own_folder: Path) -> None:
    quiet = python(PROGRAM, stderr=subprocess.PIPE)
    assert quiet.communicate(timeout=PATIENCE) == ("6.0\n", "")
    assert any((own_folder / "kernels").iterdir())
