"""Compiled kernels on disk: found by all that they depend on and nothing else, never loaded where they are damaged."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from specgrad.runtime.compiler.cache import archive, digest, directory, store
from specgrad.runtime.compiler.cache.archive import seal, unseal
from specgrad.runtime.compiler.jit import LazyKernel, jit
from specgrad.runtime.compiler.passes import target
from specgrad.runtime.compiler.passes import target as machine
from tests.patience import PATIENCE
from tests.repository import ROOT, copy

KEY, OTHER = bytes(32), b"\1" * 32


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A place of the test's own."""
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def made(text: str, **names: Any) -> Any:
    """The function `f` of a text, whose globals are these."""
    space = {"__name__": "made", **names}
    exec(text, space)
    return space["f"]


BASE = "def f(a, k=2):\n    return helper(a) * 1.5 + LIMIT"


@pytest.mark.parametrize(
    "text, names",
    [
        (BASE.replace("1.5", "1.25"), {}),
        (BASE.replace("k=2", "k=3"), {}),
        (BASE.replace("*", "-"), {}),
        (BASE.replace("helper(a)", "helper(k)"), {}),
        (BASE, {"LIMIT": 8}),
        (BASE, {"LIMIT": 7.0}),
        (BASE, {"LIMIT": np.array([7])}),
        (BASE, {"helper": lambda a: a + 2}),
        (BASE, {"helper": jit(lambda a: a + 1)}),
        (BASE, {"helper": jit(fastmath=True)(lambda a: a + 1)}),
    ],
)
def test_a_digest_changes_with_what_it_depends_on(text: str, names: dict[str, Any]) -> None:
    """Code, constants, defaults, and what globals mean, with what these call and how they are compiled."""
    given = {"helper": lambda a: a + 1, "LIMIT": 7}
    assert digest.of_function(made(text, **given | names)) != digest.of_function(made(BASE, **given))


def test_a_digest_does_not_change_with_anything_else() -> None:
    """Lines, docstrings and files are none of a kernel's code; nor is what a kernel has been compiled to."""
    given = {"helper": lambda a: a + 1, "LIMIT": 7}
    moved = "\n\n" + BASE.replace("    return", '    "What it does."\n    return')
    assert digest.of_function(made(moved, **given)) != b""
    first, again = (digest.of_function(made("\n" * n + BASE, **given)) for n in (0, 5))
    assert first == again
    inner = jit(cache=False)(lambda a: a + 1)
    before = digest.of_function(made(BASE, helper=inner, LIMIT=7))
    assert digest.of_function(made(BASE, helper=inner.compile(), LIMIT=7)) == before


ORDERED = """
from specgrad.runtime.compiler.cache.digest import of_function
from specgrad.runtime.kernels.cpu.sums import plain_sum
from specgrad.runtime.ops.norm.cpu_loops import standardize_segments
print(of_function(plain_sum.function).hex(), of_function(standardize_segments.function).hex())
print(of_function(lambda a: a in {"one", "two", "three", "four"}).hex())
"""


def test_a_digest_is_the_same_in_each_process() -> None:
    """Sets, as those of fastmath's flags, have another order each time."""

    def digests(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", ORDERED]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert len({digests(seed) for seed in "123"}) == 1


def test_what_is_called_counts_however_far_away() -> None:
    """A kernel that calls a kernel that calls a kernel."""

    def chain(last: Callable[[Any], Any]) -> bytes:
        inner = LazyKernel(made("def f(a):\n    return g(a)", g=jit(last)), {})
        return digest.of_function(made("def f(a):\n    return g(a)", g=inner))

    assert chain(lambda a: a * 2) == chain(lambda a: a * 2) != chain(lambda a: a * 3)


def test_texts_of_modules_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a function's code does not say all: intrinsics, their processor, and what makes scalar functions code."""
    from specgrad.runtime.compiler.passes.primitives import fma
    from specgrad.runtime.kernels import scalar
    from specgrad.runtime.kernels.llvm.matmul_tiles import panel_width

    def seen(callee: Any) -> bytes:
        return digest.of_function(made("def f(a):\n    return g(a)", g=callee))

    before = {callee: seen(callee) for callee in (panel_width, fma, scalar.erf)}
    monkeypatch.setattr(machine, "vector_registers", lambda: (1, 1))
    assert seen(panel_width) != before[panel_width] and seen(fma) == before[fma]
    monkeypatch.undo()
    monkeypatch.setattr(digest, "folder_source", lambda *names: b"changed")
    assert seen(panel_width) != before[panel_width] and seen(scalar.erf) == before[scalar.erf]
    monkeypatch.setattr(digest, "module_source", lambda name: b"changed")
    assert seen(fma) != before[fma]


def test_keys_change_with_processor_and_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of another processor, Python, numba, LLVM or NumPy is none for this one."""
    here = target.host()
    keys = {store.key(KEY, here), store.key(KEY, here._replace(name="another"))}
    keys |= {store.key(KEY, here._replace(features="+sse")), store.key(KEY, here._replace(triple="another"))}
    for i, version in enumerate(target.versions()):
        changed = (*target.versions()[:i], f"{version}1", *target.versions()[i + 1 :])
        monkeypatch.setattr(store, "versions", lambda changed=changed: changed)
        keys.add(store.key(KEY, here))
    assert len(keys) == 4 + len(target.versions())


def test_signatures_options_and_settings_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """One code, compiled for other types, with other options or in another mode of numba's, is another entry."""
    from numba import types
    from numba.core import config

    from specgrad.runtime.compiler.cache import dispatcher

    def digest_of(*kinds: Any, **options: Any) -> bytes:
        kernel = LazyKernel(made("def f(a):\n    return a"), options)
        return kernel.compile()._cache.digest(kinds)

    found = {digest_of(types.float64), digest_of(types.float32), digest_of(types.int64[:])}
    found |= {digest_of(types.float64, fastmath=True), digest_of(types.float64, boundscheck=True)}
    monkeypatch.setattr(config, "OPT", 0)
    dispatcher.compiler.cache_clear()
    found.add(digest_of(types.float64))
    monkeypatch.undo()
    dispatcher.compiler.cache_clear()
    assert len(found) == 6 and digest_of(types.float64) in found


def test_what_is_kept_is_found() -> None:
    """Under its own digest, and under no other."""
    store.keep(KEY, b"code")
    assert store.lookup(KEY) == b"code" and store.lookup(OTHER) is None


@pytest.mark.parametrize("damage", [lambda x: x[:-1], lambda x: x[:20], lambda x: b"", lambda x: x[:-1] + b"?"])
def test_what_is_damaged_is_not_loaded(own_folder: Path, damage: Callable[[bytes], bytes]) -> None:
    """It is as if it were not there, and is written again."""
    store.keep(KEY, b"code" * 100)
    (path,) = (own_folder / "kernels").iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert store.lookup(KEY) is None
    store.keep(KEY, b"code")
    assert store.lookup(KEY) == b"code"


def test_an_entry_of_another_key_is_refused() -> None:
    """A file that has been renamed holds another's code."""
    assert unseal(OTHER, seal(KEY, b"code")) is None
    assert unseal(KEY, seal(KEY, b"code")) == b"code"


def test_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A variable of specgrad's, or the folder for caches, or the home; nowhere is no error."""
    assert directory.cache_path("kernels") == tmp_path / "cache" / "kernels"
    monkeypatch.setenv("OWN", str(tmp_path / "own"))
    assert directory.cache_path("cuda", "OWN") == tmp_path / "own"
    monkeypatch.delenv("SPECGRAD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert directory.cache_path("cuda") == tmp_path / "xdg" / "specgrad" / "cuda"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert directory.cache_path("kernels") == tmp_path / ".cache" / "specgrad" / "kernels"

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert directory.cache_path("kernels") is None
    store.keep(KEY, b"code")
    assert store.lookup(KEY) is None


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is compiled then stays in memory."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path / "file"))
    kernel = jit(lambda a: a + 1)
    assert kernel(2) == 3 and kernel(2) == 3
    assert store.lookup(KEY) is None


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    """When there is more than allowed, until there is less than that by a quarter."""
    for i in range(8):
        (tmp_path / str(i)).write_bytes(bytes(10))
        os.utime(tmp_path / str(i), (i, i))
    directory.prune(tmp_path, 80, 40)
    assert len(list(tmp_path.iterdir())) == 8
    directory.prune(tmp_path, 79, 40)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["4", "5", "6", "7"]
    directory.read(tmp_path / "4")  # which makes it the newest
    directory.prune(tmp_path, 10, 10)
    assert [path.name for path in tmp_path.iterdir()] == ["4"]


def test_many_writers(own_folder: Path) -> None:
    """Readers find nothing or all of it, and nothing else is left behind."""
    data, wrong = os.urandom(100_000), []

    def work() -> None:
        for _ in range(20):
            store.keep(KEY, data)
            if store.lookup(KEY) != data:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(list((own_folder / "kernels").iterdir())) == 1


def test_archives(tmp_path: Path) -> None:
    """Every entry is found; in a file of another version, or one that is cut off, none is."""
    entries = {bytes([i]) * 32: seal(bytes([i]) * 32, bytes([i]) * i) for i in range(1, 200, 7)}
    path = tmp_path / "some"
    path.write_bytes(archive.pack(entries, ("x86-64-v3", "3.11")))
    opened = archive.Archive(path, ("x86-64-v3", "3.11"))
    assert {key: opened.get(key) for key in entries} == entries
    assert all(opened.get(bytes([i]) * 32) is None for i in (0, 2, 255))
    assert archive.Archive(path, ("x86-64-v3", "3.12")).get(bytes([1]) * 32) is None
    for length in (0, 5, 60, 400):
        (tmp_path / "short").write_bytes(path.read_bytes()[:length])
        short = archive.Archive(tmp_path / "short", ("x86-64-v3", "3.11"))
        assert all(short.get(key) is None for key in entries)


def test_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best first, and none that the processor does not have."""

    def names(machine: str, features: str) -> list[str]:
        monkeypatch.setattr(target, "host", lambda: target.Target("triple", "name", features))
        monkeypatch.setattr(target, "platform", SimpleNamespace(machine=lambda: machine))
        return [one.name for one in target.levels.__wrapped__()]

    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        monkeypatch.delenv(name, raising=False)
    has = [",".join(f"+{one}" for level in target.LEVELS["x86_64"][:n] for one in level.instructions) for n in range(4)]
    assert [names("x86_64", features) for features in has] == [
        [],
        ["x86-64-v2"],
        ["x86-64-v3", "x86-64-v2"],
        ["x86-64-v4", "x86-64-v3", "x86-64-v2"],
    ]
    assert names("x86_64", has[3].replace("+avx2", "-avx2")) == ["x86-64-v2"]
    assert names("aarch64", "") == ["generic"] and names("riscv64", "") == []


TRAITS = {
    "x86-64-v2": "(16, 2) False",
    "x86-64-v3": "(32, 2) True",
    "x86-64-v4": "(64, 4) True",
    "generic": "(16, 4) True",
}


def test_code_for_a_level_depends_on_that_level_alone() -> None:
    """What a kernel's code takes of a processor is that of the one that has been named, not of the one that runs."""
    text = "from specgrad.runtime.compiler.passes import target as m; print(m.vector_registers(), m.fuses())"
    for level in target.levels():
        environment = {**os.environ, "NUMBA_CPU_NAME": level.name, "NUMBA_CPU_FEATURES": ""}
        command = [sys.executable, "-c", text]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE)
        assert done.stdout.strip() == TRAITS[level.name]


SCRIPT = """
import sys
import numpy as np
from numba.core import event
import specgrad as sg
class Seen(event.Listener):
    count = 0
    def on_start(self, event): self.count += event.data["dispatcher"].stats.cache_path is not None
    def on_end(self, event): pass
seen = Seen()
with event.install_listener("numba:compile", seen):
    with sg.no_grad():
        x = sg.full((5,), 2.0, dtype=sg.float64) * 3  # a kernel that does not come with specgrad
print(sg.__file__)
print(seen.count)
print(x.tolist())
"""


@pytest.mark.cpu("compiles for the CPU, in other processes")
def test_kernels_are_found_wherever_the_package_lies(tmp_path: Path, own_folder: Path) -> None:
    """A copy of the package elsewhere, with other times, compiles nothing that has been compiled before."""
    seen = []
    for name in ("here", "there"):
        copy(tmp_path / name, "codegen", "generated", "nn", "runtime", "specgrad", "derivatives.yaml")
        if name == "there":
            for path in (tmp_path / name).rglob("*.py"):
                os.utime(path, (1, 1))
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / name), "SPECGRAD_CACHE_DIR": str(own_folder)}
        command = [sys.executable, "-P", "-c", SCRIPT]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        seen.append(done.stdout.splitlines())
    (first, compiled, values), (second, again, same) = seen
    assert str(tmp_path / "here") in first and str(tmp_path / "there") in second
    assert int(compiled) > 0 and again == "0" and values == same


def test_a_kernel_of_a_module_that_is_not_there() -> None:
    """Programs make modules while they run: what was compiled of them before is compiled again."""
    text = "from tests.compiler.test_cache import made\nfrom specgrad.runtime.compiler.jit import LazyKernel\n"
    text += "print(LazyKernel(made('def f(a):\\n    return a + 1'), {})(2))"
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
        assert done.stdout == "3\n", done.stderr


def test_a_kernel_is_linked_with_one_that_was_loaded(own_folder: Path) -> None:
    """What is on disk holds no more than a kernel's own machine code; what is linked with is compiled again."""

    def pair(factor: int) -> Any:
        inner = LazyKernel(made("def f(a):\n    return a[0] + 1.0"), {})
        return inner, LazyKernel(made(f"def f(a):\n    return {factor} * g(a)", g=inner), {})

    values = np.ones(3)
    inner, outer = pair(2)
    assert inner(values) == 2.0 and outer(values) == 4.0
    inner, outer = pair(3)
    assert inner(values) == 2.0 and inner.compile().stats.cache_hits
    assert outer(values) == 6.0
    assert pair(3)[1](values) == 6.0
    assert isinstance(inner.function, FunctionType)
