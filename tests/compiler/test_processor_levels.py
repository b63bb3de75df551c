"""Machine code that a wheel carries is loaded by processors of its level: others load that of a lesser one, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgrad.runtime.compiler.cache import archive, store
from specgrad.runtime.compiler.cache.archive import seal
from specgrad.runtime.compiler.passes import target
from specgrad.runtime.compiler.passes.target import LEVELS, Target

KEY, OTHER = b"\3" * 32, b"\4" * 32
NAMES = [level.name for level in LEVELS["x86_64"]]  # the least first
TRIPLE = "x86_64-unknown-linux-gnu"


def has(count: int) -> str:
    """The features of a processor of the first levels, as LLVM writes them; the others' it says not to have."""
    levels = LEVELS["x86_64"]
    lazy_conj = [(one, "+" if i < count else "-") for i, level in enumerate(levels) for one in level.instructions]
    return ",".join(f"{sign}{one}" for one, sign in lazy_conj)


@pytest.fixture
def prebuilt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the archives, which is empty; the processor is one of x86-64."""
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(target.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(store, "PREBUILT", tmp_path / "prebuilt")
    (tmp_path / "prebuilt").mkdir()
    return tmp_path / "prebuilt"


def pack(folder: Path, *names: str) -> None:
    """An archive for each of these levels, whose code is the level's name."""
    for name in names:
        level = Target(TRIPLE, name, "")
        key = store.key(KEY, level)
        data = archive.pack({key: seal(key, name.encode())}, store.described(level))
        (folder / f"{name}{store.SUFFIX}").write_bytes(data)


def run_on(monkeypatch: pytest.MonkeyPatch, processor: Target) -> None:
    """Let this be the processor."""
    monkeypatch.setattr(target, "host", lambda: processor)
    monkeypatch.setattr(store, "host", lambda: processor)
    monkeypatch.setattr(store, "levels", target.levels.__wrapped__)
    monkeypatch.setattr(store, "archives", store.archives.__wrapped__)


@pytest.mark.parametrize("count", range(len(NAMES) + 1))
def test_a_processor_loads_code_of_its_own_level(count: int, monkeypatch: pytest.MonkeyPatch, prebuilt: Path) -> None:
    """And where the wheel has none of that, of the best below; never of one above."""
    run_on(monkeypatch, Target(TRIPLE, "some", has(count)))
    for min_value in range(len(NAMES)):
        for path in prebuilt.iterdir():
            path.unlink()
        pack(prebuilt, *NAMES[min_value:])
        assert store.lookup(KEY) == (NAMES[count - 1].encode() if min_value < count else None)
        assert [one.name for one, _ in store.archives()] == NAMES[min_value:count][::-1]
        assert store.lookup(OTHER) is None


@pytest.mark.parametrize("missing", [level.instructions[-1] for level in LEVELS["x86_64"]])
def test_one_instruction_less_is_a_level_less(missing: str, monkeypatch: pytest.MonkeyPatch, prebuilt: Path) -> None:
    """Whatever the processor's name, and whatever it has of levels above."""
    run_on(monkeypatch, Target(TRIPLE, "some", has(len(NAMES)).replace(f"+{missing}", f"-{missing}")))
    pack(prebuilt, *NAMES)
    (lacking,) = [i for i, level in enumerate(LEVELS["x86_64"]) if missing in level.instructions]
    assert store.lookup(KEY) == (NAMES[lacking - 1].encode() if lacking else None)


@pytest.mark.parametrize("count", range(1, len(NAMES) + 1))
def test_a_processor_can_be_told_to_be_of_a_level(count: int, monkeypatch: pytest.MonkeyPatch, prebuilt: Path) -> None:
    """By the names that numba reads; code of the levels above is then none for it."""
    monkeypatch.setenv("NUMBA_CPU_NAME", NAMES[count - 1])
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    named = target.host.__wrapped__()
    run_on(monkeypatch, named._replace(triple=TRIPLE))
    pack(prebuilt, *NAMES)
    assert named[1:] == (NAMES[count - 1], "") and store.lookup(KEY) == NAMES[count - 1].encode()


def test_a_copied_archive_is_not_that_of_another_level(monkeypatch: pytest.MonkeyPatch, prebuilt: Path) -> None:
    """An archive says which level it is of, whatever its file is called; so does each entry."""
    run_on(monkeypatch, Target(TRIPLE, "some", has(1)))
    pack(prebuilt, *NAMES)
    (prebuilt / f"{NAMES[-1]}{store.SUFFIX}").replace(prebuilt / f"{NAMES[0]}{store.SUFFIX}")
    assert store.lookup(KEY) is None
    min_value, best = (Target(TRIPLE, name, "") for name in (NAMES[0], NAMES[-1]))
    entry = seal(store.key(KEY, best), b"code")
    (prebuilt / f"{NAMES[0]}{store.SUFFIX}").write_bytes(
        archive.pack({store.key(KEY, min_value): entry}, store.described(min_value))
    )
    assert store.lookup(KEY) is None


def test_a_wheel_without_the_level_is_a_clone(monkeypatch: pytest.MonkeyPatch, prebuilt: Path) -> None:
    """What is compiled is kept in the user's folder, for this processor."""
    run_on(monkeypatch, Target(TRIPLE, "some", has(1)))
    pack(prebuilt, *NAMES[1:])
    assert not store.archives() and store.obtain(KEY) is None
    store.keep(KEY, b"own")
    assert store.lookup(KEY) == b"own"
