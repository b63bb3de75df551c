"""The members of a checkpoint by their names."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest


def test_members_of_a_file(lib: Any, tmp_path: Path) -> None:
    """Names are those below the archive's folder; bytes are as they were written."""
    path = tmp_path / "checkpoint.pt"
    lib.save({"weight": lib.arange(3, dtype=lib.int32)}, path)
    reader = lib.PyTorchFileReader(str(path))
    assert reader.has_record("data.pkl") and not reader.has_record("other")
    assert set(reader.get_all_records()) >= {"data.pkl", "data/0", "version"}
    assert np.frombuffer(reader.get_record("data/0"), np.int32).tolist() == [0, 1, 2]
    assert reader.get_record_size("data/0") == 12
    start = reader.get_record_offset("data/0")
    assert path.read_bytes()[start : start + 12] == reader.get_record("data/0")
    with pytest.raises(RuntimeError, match="failed locating file other"):
        reader.get_record("other")


def test_members_of_memory(lib: Any) -> None:
    """A file that can be searched serves as well as a path."""
    file = io.BytesIO()
    lib.save([lib.ones(2)], file)
    file.seek(0)
    assert np.frombuffer(lib.PyTorchFileReader(file).get_record("data/0"), np.float32).tolist() == [1.0, 1.0]
