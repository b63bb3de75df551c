"""Archives as they are written, against Python's zipfile: members, places, checksums, and what needs 64 bits."""

import io
import os
import zipfile

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.serialization.zip_archive import Archive, ArchiveWriter


def random_bytes(count):
    return np.random.default_rng(count).integers(0, 256, count).astype(np.uint8)


class Sparse(io.FileIO):
    """A file that leaves holes where much is written, as if all of it were zeros."""

    def write(self, data):
        if len(data) < 1 << 20:
            return super().write(data)
        self.seek(len(data), os.SEEK_CUR)
        return len(data)


@pytest.mark.parametrize("position", [0, 1, 100])
def test_members_are_those_that_zipfile_reads(position):
    """Of every length, also none; aligned ones begin at multiples of 64 of the whole file."""
    file, contents = io.BytesIO(bytes(position)), {f"a/é{n}": random_bytes(n) for n in (0, 1, 59, 64, 1000, 300_000)}
    file.seek(position)
    writer = ArchiveWriter(file, position)
    for name, content in contents.items():
        writer.add(name, content, 64)
    writer.close()
    with zipfile.ZipFile(file) as found:
        assert found.testzip() is None
        assert {name: bytes(content) for name, content in contents.items()} == {n: found.read(n) for n in contents}
    archive = Archive(file)
    for name, content in contents.items():
        assert archive.locate(name)[0] % 64 == 0
        np.testing.assert_array_equal(archive.read(name), content)


def test_far_places_have_64_bits(tmp_path):
    """Members behind 4 GiB, which stay a hole on the disk."""
    with open(tmp_path / "far", "w+b") as file:
        file.seek(2**32 + 7)
        sg.save({"x": sg.arange(5)}, file)
        with zipfile.ZipFile(file) as found:
            assert found.testzip() is None
            assert all(info.header_offset > 2**32 for info in found.infolist())
        file.seek(0)
        assert sg.load(file)["x"].tolist() == [0, 1, 2, 3, 4]


def test_long_members_have_64_bits(tmp_path):
    """One of more than 4 GiB, and one behind it; its bytes lie in a file that is a hole, and take no memory."""
    with open(tmp_path / "zeros", "wb") as file:
        file.truncate(2**32 + 100)
    with Sparse(tmp_path / "long", "w+") as file:
        writer = ArchiveWriter(file, 0)
        writer.add("long", np.memmap(tmp_path / "zeros", np.uint8, "r"), 64)
        writer.add("short", random_bytes(10), 64)
        writer.close()
        with zipfile.ZipFile(file) as found:
            long, short = found.infolist()
            assert (long.file_size, long.CRC, short.file_size) == (2**32 + 100, 0xA92A4CE5, 10)
            assert found.read("short") == bytes(random_bytes(10))
        archive = Archive(file)
        assert archive.locate("long")[1] == 2**32 + 100
        np.testing.assert_array_equal(archive.read("short"), random_bytes(10))
