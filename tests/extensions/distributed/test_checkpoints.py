"""Checkpoints between programs: other numbers of ranks, ranks that are killed, and files that are damaged."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.distributed import checkpoint
from specgrad.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from specgrad.runtime.extensions.distributed.checkpoint.metadata import ChunkStorageMetadata, covers
from specgrad.runtime.extensions.distributed.checkpoint.shards import common, placed, spans
from specgrad.runtime.extensions.distributed.launcher import mpiexec
from tests.extensions.distributed.dying import MOMENTS
from tests.extensions.distributed.test_on_mpi import run


def test_other_numbers_of_ranks_go_on(tmp_path: Path) -> None:
    """What three ranks have written, two and one read with the same bits, and go on with the same losses."""
    folder = tmp_path / "checkpoint"
    program = (sys.executable, "-m", "tests.extensions.distributed.resuming")
    ways = [
        (mpiexec(), "-n", "3", *program, "begin", str(folder)),
        (mpiexec(), "-n", "2", *program, "resume", str(folder)),
        (*program, "resume", str(folder), "--alone"),
    ]
    for command in ways:
        done = run(*command)
        assert done.returncode == 0, done.stderr
    begun, two, one = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("begin3", "resume2", "resume1"))
    assert begun["steps"] == two["steps"] == one["steps"] == [2, 3]
    assert begun["values"] == two["values"] == one["values"]
    for found in (two, one):
        np.testing.assert_allclose(found["losses"], begun["losses"], rtol=1e-12)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_rank_that_is_killed_leaves_a_whole_checkpoint(moment: str, tmp_path: Path) -> None:
    """The older checkpoint is whole until the newer one is; the next one removes what was left over."""
    done = run(mpiexec(), "-n", "2", sys.executable, "-m", "tests.extensions.distributed.dying", moment, str(tmp_path))
    assert done.returncode != 0 and "nobody was killed" not in done.stderr
    state = {f"tensor{number}": sg.zeros(300_000) for number in range(4)}
    checkpoint.load(state, checkpoint_id=tmp_path)
    expected = 2.0 if moment == MOMENTS[-1] else 1.0
    assert all((one == expected).all() for one in state.values())
    checkpoint.save({"x": sg.ones(2)}, checkpoint_id=tmp_path)
    assert len([*tmp_path.iterdir()]) == 2


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)


DAMAGE: list[tuple[Callable[[Path], Any], str, str]] = [
    (_cut, "*.distcp", "is truncated: it has"),
    (_flip, "*.distcp", "do not have the checksum that they had"),
    (Path.unlink, "*.distcp", "cannot be read: .*No such file"),
    (_cut, ".metadata", "is damaged or was not written"),
    (_flip, ".metadata", "is damaged"),
    (Path.unlink, ".metadata", "is no checkpoint, or one whose writing has not come to an end"),
]


@pytest.mark.parametrize(("harm", "which", "message"), DAMAGE)
def test_damaged_files_are_refused(harm: Callable[[Path], Any], which: str, message: str, tmp_path: Path) -> None:
    """What is missing, short or changed is an error that names it, before anything is written to."""
    checkpoint.save({"x": sg.arange(900.0).reshape(30, 30)}, checkpoint_id=tmp_path)
    (file,) = tmp_path.glob(which)
    harm(file)
    state = {"x": sg.zeros(30, 30)}
    with pytest.raises(checkpoint.CheckpointException, match=message):
        checkpoint.load(state, checkpoint_id=tmp_path)
    assert not state["x"].any()


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Other names, shapes, dtypes and kinds are errors that name both; a checkpoint that may not be replaced stays."""
    checkpoint.save({"x": sg.ones(2, 3), "n": 1}, checkpoint_id=tmp_path)
    wrong: list[tuple[Any, str]] = [
        ({"y": sg.ones(2)}, "Missing key in checkpoint state_dict: y."),
        ({"x": sg.ones(3, 2)}, r"Size mismatch between saved \[2, 3\] and current: \[3, 2\] for x"),
        ({"x": sg.ones(2, 3).double()}, "dtype mismatch between saved float32 and current: float64 for x"),
        ({"n": sg.ones(1)}, "n: the checkpoint has no tensor"),
        ({"x": 3}, "x: the checkpoint has a tensor"),
    ]
    for state, message in wrong:
        with pytest.raises(checkpoint.CheckpointException, match=message):
            checkpoint.load(state, checkpoint_id=tmp_path)
    with pytest.raises(checkpoint.CheckpointException, match="already exists and overwrite=False"):
        checkpoint.save({}, storage_writer=checkpoint.FileSystemWriter(tmp_path, overwrite=False))
    with pytest.raises(ValueError, match="duplicated flatten key a.b"):
        checkpoint.save({"a.b": 1, "a": {"b": 2}}, checkpoint_id=tmp_path)
    with pytest.raises(TypeError, match="expected a state_dict that is a dict"):
        checkpoint.save([1], checkpoint_id=tmp_path)  # type: ignore[arg-type]


def test_single_files(tmp_path: Path) -> None:
    """A checkpoint becomes one file of dicts and lists, and the other way round."""
    state = {"model": {"x": sg.ones(2, dtype=sg.bfloat16)}, "groups": [{"lr": 0.1}, {"lr": 0.2}], 3: {0: "a"}}
    checkpoint.save(state, checkpoint_id=tmp_path / "first")
    dcp_to_torch_save(tmp_path / "first", tmp_path / "file.pt")
    found = sg.load(tmp_path / "file.pt")
    assert found["groups"] == state["groups"] and found[3] == {0: "a"}
    torch_save_to_dcp(tmp_path / "file.pt", tmp_path / "second")
    read: Any = {"model": {"x": sg.zeros(2, dtype=sg.bfloat16)}}
    checkpoint.load(read, checkpoint_id=tmp_path / "second")
    assert read["model"]["x"].tolist() == [1.0, 1.0]


def test_parts_that_are_cut_otherwise() -> None:
    """Any part of a tensor is put together of others, against NumPy: 200 random cuts along both dimensions."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        shape = rng.integers(1, 7, 2)
        full = rng.integers(0, 255, (*shape, 2), np.uint8)  # elements of two bytes
        cuts = [sorted({0, int(size), *rng.integers(0, size + 1, 2).tolist()}) for size in shape]
        chunks = [
            ChunkStorageMetadata((a, c), (b - a, d - c))
            for a, b in zip(cuts[0], cuts[0][1:], strict=False)
            for c, d in zip(cuts[1], cuts[1][1:], strict=False)
        ]
        covers("x", shape.tolist(), chunks)
        first = [int(rng.integers(0, size)) for size in shape]
        sizes = [int(rng.integers(1, size - at + 1)) for size, at in zip(shape, first, strict=True)]
        into = np.zeros((*sizes, 2), np.uint8)
        for region in common(chunks, first, sizes):
            (a, c), (m, n) = region.chunk.offsets, region.chunk.sizes
            stored = full[a : a + m, c : c + n].tobytes()
            for begin, end, rows in spans(region, 2):
                placed(np.frombuffer(stored, np.uint8)[begin:end], rows, into)
        expected = full[first[0] : first[0] + sizes[0], first[1] : first[1] + sizes[1]]
        assert (into == expected).all()
    with pytest.raises(ValueError, match="have elements in common"):
        covers("x", (4,), [ChunkStorageMetadata((0,), (3,)), ChunkStorageMetadata((2,), (2,))])
    with pytest.raises(ValueError, match="3 of the 4 elements"):
        covers("x", (4,), [ChunkStorageMetadata((0,), (3,))])
