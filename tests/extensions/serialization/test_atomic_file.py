"""Files that take the place of others: modes, owners, links, names, what is left over, and what may not be written."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.extensions.serialization import atomic_file


@pytest.fixture(params=["unnamed", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on systems that have files without a name, and as on those that have none."""
    if request.param == "named":
        monkeypatch.setattr(atomic_file, "_UNNAMED", 0)


@pytest.fixture
def mask() -> Iterator[None]:
    """New files are for their owner and may be read by the group."""
    old = os.umask(0o027)
    yield
    os.umask(old)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("way", "mask")
def test_modes(tmp_path: Path) -> None:
    """A new file has the mode that the umask leaves, one that is replaced keeps its own, also through a link."""
    path, link = tmp_path / "model.pt", tmp_path / "link.pt"
    link.symlink_to("model.pt")
    sg.save(1, path)
    assert mode(path) == 0o640
    for requested in (0o600, 0o664, 0o755, 0o666):
        path.chmod(requested)
        sg.save(2, link)
        assert mode(path) == requested and link.is_symlink() and sg.load(path) == 2
    assert sorted(os.listdir(tmp_path)) == ["link.pt", "model.pt"]


@pytest.mark.usefixtures("way")
def test_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner and the group are taken over where that is permitted; where not, the rights to act as them go."""
    path, calls = tmp_path / "model.pt", []
    sg.save(1, path)
    path.chmod(0o4750)
    found = path.stat()
    other = os.stat_result((*found[:4], found.st_uid + 1, found.st_gid + 1, *found[6:]))

    def refuse(descriptor: int, owner: int, group: int) -> None:
        calls.append((owner, group))
        if len(calls) > 2:
            raise PermissionError(errno.EPERM, "not yours")

    monkeypatch.setattr(atomic_file, "_writable", lambda path: other)
    monkeypatch.setattr(os, "chown", refuse)
    monkeypatch.setattr(os, "supports_fd", {os.chmod})
    sg.save(2, path)
    assert calls == [(found.st_uid + 1, -1), (-1, found.st_gid + 1)] and mode(path) == 0o4750
    sg.save(3, path)
    assert len(calls) == 4 and mode(path) == 0o750 and sg.load(path) == 3


@pytest.mark.usefixtures("way")
def test_names(tmp_path: Path) -> None:
    """Names of any length and bytes can be saved under; one that is too long is an error that names it."""
    for name in ("x" * 255, os.fsdecode("\u00fc".encode() * 127), "a b\n", ".specgrad-x.tmp"):
        sg.save(1, tmp_path / name)
        assert sg.load(tmp_path / name) == 1
    sg.save(2, os.fsencode(tmp_path / "bytes"))  # type: ignore[arg-type]
    assert sg.load(tmp_path / "bytes") == 2
    with pytest.raises(OSError, match="x" * 256):
        sg.save(1, tmp_path / ("x" * 256))
    assert len(os.listdir(tmp_path)) == 5


@pytest.mark.usefixtures("way")
def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    """Links in a circle, folders, and folders that do not exist: an OSError with the path, and nothing is made."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "folder").mkdir()
    (tmp_path / "gone").symlink_to("nowhere/model.pt")
    before = sorted(os.listdir(tmp_path))
    for name, error in (("a", OSError), ("folder", IsADirectoryError), ("gone", FileNotFoundError)):
        with pytest.raises(error, match=re.escape(str(tmp_path))):
            sg.save(1, tmp_path / name)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        sg.save(1, tmp_path / "file" / "model.pt")
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "file"])


# Root may write everywhere. Without its capabilities it is a user like others, who still owns what root owns: any other
# user might not be able to read the interpreter, specgrad, or the folder of temporary files.
REFUSED = """
import ctypes, os, sys
import specgrad as sg
folder = sys.argv[1]
sg.save(1, folder + "/model.pt")
os.chmod(folder + "/model.pt", 0o444 if sys.argv[2] == "file" else 0o666)
os.chmod(folder, 0o777 if sys.argv[2] == "file" else 0o555)
if os.geteuid() == 0:
    VERSION_3, OF_THIS_THREAD, NONE = 0x20080522, 0, [0] * 6  # of Linux's capset
    library = ctypes.CDLL(None, use_errno=True)
    failed = library.capset((ctypes.c_uint32 * 2)(VERSION_3, OF_THIS_THREAD), (ctypes.c_uint32 * 6)(*NONE))
    assert not failed, os.strerror(ctypes.get_errno())
try:
    sg.save(2, folder + "/model.pt")
except PermissionError as error:
    assert error.filename == os.path.realpath(folder + "/model.pt"), error
else:
    raise AssertionError("saved")
assert sg.load(folder + "/model.pt") == 1 and os.listdir(folder) == ["model.pt"]
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_not_be_written(what: str) -> None:
    """A file or a folder that may not be written to stays as it is; the error says which file it was."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", REFUSED, folder, what], capture_output=True, text=True)
        os.chmod(folder, 0o700)
        assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("way")
def test_what_is_left_over_goes(tmp_path: Path) -> None:
    """The next save in a folder removes what killed ones have left, of whatever path; not what is still written to,
    nor what has another name or is no file."""
    left, used = tmp_path / f".specgrad-{'0' * 16}.tmp", tmp_path / f".specgrad-{'1' * 16}.tmp"
    others = [tmp_path / ".specgrad-notes.tmp", tmp_path / "model.pt.tmp"]
    folder, link = tmp_path / f".specgrad-{'2' * 16}.tmp", tmp_path / f".specgrad-{'3' * 16}.tmp"
    for path in (left, used, *others):
        path.write_bytes(b"half a file")
    folder.mkdir()
    link.symlink_to(others[0])
    with open(used, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        sg.save(1, tmp_path / "model.pt")
        assert not left.exists() and used.exists() and folder.is_dir() and link.is_symlink()
        assert all(path.read_bytes() == b"half a file" for path in others)
    sg.save(1, tmp_path / "other.pt")
    assert not used.exists()


@pytest.mark.usefixtures("way")
def test_threads_that_save(tmp_path: Path) -> None:
    """Threads that save to one path do not take each other's files for left over; the last file is whole."""
    path, failed = tmp_path / "model.pt", []

    def run(number: int) -> None:
        try:
            for _ in range(20):
                sg.save({"x": sg.full((5000,), float(number))}, path)
                found = sg.load(path)["x"]
                assert (found == found[0]).all()
        except BaseException as error:  # reported below, in the test's thread
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and os.listdir(tmp_path) == ["model.pt"]


def test_a_file_taken_before_it_was_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who removes left-over files may be faster than the lock of one that was just made: then another is made."""
    monkeypatch.setattr(atomic_file, "_UNNAMED", 0)
    lock, reserved = atomic_file._lock, []

    def slow(descriptor: int) -> None:
        if not reserved:
            atomic_file._remove_left_overs(str(tmp_path))
            reserved.append(not os.listdir(tmp_path))
        lock(descriptor)

    monkeypatch.setattr(atomic_file, "_lock", slow)
    sg.save(1, tmp_path / "model.pt")
    assert reserved == [True] and sg.load(tmp_path / "model.pt") == 1


class Full:
    """A file on a device that takes a little and then no more."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity

    def write(self, data: Any) -> int:
        self.capacity -= len(data)
        if self.capacity < 0:
            raise OSError(errno.ENOSPC, "no room")
        return len(data)


@pytest.mark.parametrize("capacity", [0, 10, 500, 300_000, 400_000, 400_500])
def test_a_device_without_room(capacity: int) -> None:
    """Writing to a device that is full is its OSError, wherever the room ends."""
    with pytest.raises(OSError, match="no room"):
        sg.save({"x": sg.ones(100_000)}, Full(capacity))  # type: ignore[arg-type]


def test_the_name_is_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is on the disk before it has its name, and then the folder; who cannot write folders out still saves."""
    synced: list[Any] = []

    def fsync(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        synced.append((is_folder, (tmp_path / "model.pt").exists()))
        if is_folder:
            raise OSError(errno.EINVAL, "no folders")

    monkeypatch.setattr(os, "fsync", fsync)
    sg.save(1, tmp_path / "model.pt")
    assert synced == [(False, False), (True, True)] and sg.load(tmp_path / "model.pt") == 1
