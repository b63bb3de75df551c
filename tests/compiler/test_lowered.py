"""LLVM modules that come with specgrad: all that are listed are there, and give the code that numba's passes give."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from llvmlite import binding
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from codegen.packaging.cubins import PYTHON
from codegen.packaging.llvm_modules import cache_of, kernels, kinds_of, nameless, units
from specgrad.runtime.compiler.cache import digest, store
from specgrad.runtime.compiler.cache.dispatcher import parts_of
from specgrad.runtime.compiler.passes import target
from specgrad.runtime.compiler.passes.code_library import emit
from tests.compiler.shipped_machines import MODULES
from tests.repository import ROOT

prebuilt = pytest.mark.skipif(not MODULES, reason="no modules are carried for such machines")


@prebuilt
def test_all_that_is_listed_is_carried() -> None:
    """For each level; who has changed a kernel is told to lower it again.

    The native code that every program begins with is carried for one version of Python, whose objects it reads: all
    others compile it.
    """
    done = subprocess.run(
        [sys.executable, "-m", "codegen", "modules", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    notified = f"run `python -m codegen modules`:\n{done.stdout}{done.stderr}"
    if sys.version_info[:2] == PYTHON:
        assert done.returncode == 0, notified
    else:
        missing = re.findall(r": (\d+) of \d+ modules are missing", done.stdout)
        assert missing and all(int(count) <= len(units()) for count in missing), notified


@prebuilt
@pytest.mark.skipif(sys.version_info[:2] != PYTHON, reason="another Python's bytecode gives the same in another order")
@pytest.mark.parametrize(
    "name",
    ["relu_forward", "tanh_forward", "exponential exp_forward", "random_loops survivors", "optim.cpu adam_update"],
)
def test_the_code_is_that_which_is_compiled_here(name: str) -> None:
    """Instruction by instruction; names that numba counts may differ."""
    line = next(line for line in kernels().values() if name in line)
    cache, context = cache_of(line), cpu_target.target_context
    parts = cache.emitted(kinds_of(line), context)
    assert parts is not None
    cache.prepare()
    with global_compiler_lock:
        made = cache.compiled(kinds_of(line), None)
    assert instructions(parts[1]) == instructions(parts_of(made)[1])


STEPS = """
import hashlib, sys
import numpy as np
import specgrad as sg
from specgrad import nn
from specgrad.runtime.compiler.cache import store as lowered

find, found = lowered.find, []
lowered.find = lambda digest: found.append(find(digest) if sys.argv[1] == "prebuilt" else None) or found[-1]
sg.manual_seed(0)
rng = np.random.default_rng(0)
model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Dropout(0.3), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = sg.optim.Adam(model.parameters())
for _ in range(2):
    outputs = model(sg.tensor(rng.standard_normal((32, 64), np.float32)))
    loss = nn.functional.cross_entropy(outputs.exp(), sg.tensor(rng.integers(0, 10, 32)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(len(found), sum(module is not None for module in found))
for tensor in (outputs, loss, *model.parameters()):
    print(hashlib.sha256(tensor.detach().numpy().tobytes()).hexdigest())
"""


@prebuilt
def test_results_are_those_of_kernels_compiled_here(tmp_path: Path) -> None:
    """Bit by bit, whatever the Python: two steps of training with the modules, and without them."""
    shown = []
    for way in ("prebuilt", "compiled"):
        environment = os.environ | {"SPECGRAD_CACHE_DIR": str(tmp_path / way), "SPECGRAD_COMPILE_AHEAD": "0"}
        done = subprocess.run(
            [sys.executable, "-c", STEPS, way], env=environment, capture_output=True, text=True, check=True
        )
        shown.append(done.stdout.splitlines())
    (requested, had), (_, had_none) = (map(int, lines[0].split()) for lines in shown)
    assert had > requested / 2 and had_none == 0
    assert shown[0][1:] == shown[1][1:]


def instructions(code: bytes) -> list[bytes]:
    found = binding.ObjectFileRef.from_data(code)
    return [section.data() for section in found.sections() if section.is_text()]


def test_modules_for_processors_that_scale_are_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """How e^x is scaled depends on the processor, though no text does."""
    line = next(line for line in kernels().values() if "exponential exp_forward" in line)
    digests = set()
    for scales in (False, True):
        monkeypatch.setattr(target, "scales", lambda scales=scales: scales)
        digests.add(cache_of(line).lowered_from(kinds_of(line)))
    assert len(digests) == 2


@prebuilt
def test_what_is_emitted_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path))
    line = next(line for line in kernels().values() if "relu_forward" in line)
    cache, context = cache_of(line), cpu_target.target_context
    parts = cache.cached_parts(kinds_of(line), context)
    monkeypatch.setattr(store, "find", lambda digest: None)
    again = cache.cached_parts(kinds_of(line), context)
    assert parts is not None and again is not None and again[:2] == parts[:2]


def test_damaged_modules_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key, other = b"\1" * 32, b"\2" * 32
    full = store.packed({key: b"a module" * 100, other: b"another"})
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    monkeypatch.setattr(store, "archive", store.archive.__wrapped__)
    assert store.find(key) is None
    store.cache_path().write_bytes(full)
    assert store.find(key) == b"a module" * 100 and store.find(b"\3" * 32) is None
    cache_path = full.rindex(key) + 80
    store.cache_path().write_bytes(full[:cache_path] + bytes([full[cache_path] ^ 1]) + full[cache_path + 1 :])
    assert store.find(key) is None and store.find(other) == b"another"
    store.cache_path().write_bytes(full[: len(full) // 2])
    assert store.find(key) is None


def test_modules_of_another_compiler_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    monkeypatch.setattr(store, "archive", store.archive.__wrapped__)
    store.cache_path().write_bytes(store.packed({b"\1" * 32: b"module"}))
    monkeypatch.setattr(store, "lowering_described", lambda: ("another",))
    assert store.find(b"\1" * 32) is None


def test_a_module_that_needs_more_than_is_carried_is_compiled() -> None:
    name = "_ZN08NumbaEnvOf"
    text = f"@{name} = common global ptr null\ndefine ptr @f() {{\n  %1 = load ptr, ptr @{name}\n  ret ptr %1\n}}\n"
    codegen: Any = cpu_target.target_context.codegen()
    assert emit(text, "f", [], codegen) is None
    assert emit(text, "f", [name], codegen)


def written(path: Path, text: str) -> FunctionType:
    path.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), names)
    function = names["f"]
    assert isinstance(function, FunctionType)
    return function


def test_digests_of_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a function's lines are counts, not where they stand; nor what a file says that was written meanwhile."""
    text = "def f(x):\n    y = [\n        k + 1 for k in x\n    ]\n    return y\n"
    monkeypatch.setattr(digest, "BEGAN", float("inf"))
    functions = [written(tmp_path / f"{i}.py", "\n" * i + text + "\nz = 1\n") for i in range(2)]
    assert [digest._source(one) for one in functions] == [text] * 2
    changed = written(tmp_path / "2.py", text.replace("k + 1", "k + 2"))
    assert digest.SOURCE.digest(functions[0]) != digest.SOURCE.digest(changed)
    monkeypatch.setattr(digest, "BEGAN", 0.0)
    late = written(tmp_path / "3.py", text)
    assert digest._source(late) == digest._bytecode(late)
    nowhere = written(tmp_path / "4.py", text)
    (tmp_path / "4.py").unlink()
    assert digest._source(nowhere) == digest._bytecode(nowhere)


def test_modules_have_no_addresses() -> None:
    text = (
        "@numba.dynamic.globals.7f0a = linkonce global ptr inttoptr (i64 1234 to ptr)\n"
        "@numba.dynamic.globals.7f0b = linkonce global ptr inttoptr (i64 5678 to ptr)\n"
        "  %1 = load ptr, ptr @numba.dynamic.globals.7f0b, align 8\n"
    )
    assert nameless(text) == (
        "@numba.dynamic.globals.0 = linkonce global ptr null\n"
        "@numba.dynamic.globals.1 = linkonce global ptr null\n"
        "  %1 = load ptr, ptr @numba.dynamic.globals.1, align 8\n"
    )
