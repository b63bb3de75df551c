"""`utils.tensorboard`: what is written is read again by the package `tensorboard`, where that is installed."""

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.tensorboard.messages import png
from specgrad.utils.tensorboard import SummaryWriter

pytestmark = pytest.mark.cpu("files are no tensors")


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package is missing, the error says what to install."""
    monkeypatch.setitem(sys.modules, "tensorboard.summary.writer.event_file_writer", None)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ImportError, match="pip install tensorboard"):
        SummaryWriter(tmp_path)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_images_as_files(channels: int) -> None:
    """A PNG file has the pixels, row by row, behind a filter of none, with right checksums."""
    pixels = np.arange(5 * 3 * channels, dtype=np.uint8).reshape(5, 3, channels)
    data, chunks = png(pixels)[8:], {}
    while data:
        size = struct.unpack(">I", data[:4])[0]
        kind, content, sum_of_it = data[4:8], data[8 : 8 + size], data[8 + size : 12 + size]
        assert struct.unpack(">I", sum_of_it)[0] == zlib.crc32(kind + content)
        chunks[kind], data = content, data[12 + size :]
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (width, height, depth, colour) == (3, 5, 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(5, -1)
    assert not rows[:, 0].any()
    np.testing.assert_array_equal(rows[:, 1:].reshape(pixels.shape), pixels)


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """A folder's writer, and a function that reads what it wrote."""
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

    def read(folder: Path = tmp_path) -> Any:
        found = accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0, "histograms": 0})
        found.Reload()
        return found

    with SummaryWriter(tmp_path) as writer:
        yield writer, read


def test_numbers(written: Any, tmp_path: Path) -> None:
    """Numbers come back with their steps, those of one picture from folders of their own."""
    writer, read = written
    writer.add_scalar("loss", sg.tensor([1.5]), 3, walltime=7.0)
    writer.add_scalar("loss", np.float64(0.5), 4)
    writer.add_scalars("both", {"a": 1, "b": sg.tensor(2.0)}, 5)
    writer.flush()
    assert [(event.step, event.value) for event in read().Scalars("loss")] == [(3, 1.5), (4, 0.5)]
    assert read().Scalars("loss")[0].wall_time == 7.0
    assert read(tmp_path / "both_b").Scalars("both")[0].value == 2.0
    with pytest.raises(AssertionError, match="0D"):
        writer.add_scalar("loss", sg.ones(2))
    with pytest.raises(NotImplementedError, match="list"):
        writer.add_scalar("loss", ["no", "number"])


def test_distributions(written: Any) -> None:
    """Counts in bins are NumPy's; edges enclose them."""
    writer, read = written
    values = np.sin(np.arange(100.0))
    writer.add_histogram("h", sg.tensor(values), 1, bins="auto")
    writer.add_histogram("wide", sg.tensor(values), 1)
    writer.flush()
    found = read().Histograms("h")[0].histogram_value
    counts, edges = np.histogram(values, "auto")
    assert found.bucket == [0, *counts] and found.bucket_limit == pytest.approx(edges)
    assert (found.min, found.max, found.num) == pytest.approx((values.min(), values.max(), 100))
    assert (found.sum, found.sum_squares) == pytest.approx((values.sum(), (values**2).sum()))
    wide = read().Histograms("wide")[0].histogram_value
    assert sum(wide.bucket) == 100 and wide.bucket_limit == sorted(wide.bucket_limit)


def test_precision_and_recall(written: Any) -> None:
    """A curve has the counts of what is above each threshold."""
    writer, read = written
    labels, predictions = np.array([1, 0, 1, 1, 0]), np.array([0.9, 0.8, 0.4, 0.1, 0.05])
    writer.add_pr_curve("pr", sg.tensor(labels), sg.tensor(predictions), num_thresholds=5)
    writer.flush()
    proto = read().Tensors("pr")[0].tensor_proto
    rows = np.reshape(proto.float_val or np.frombuffer(proto.tensor_content, np.float32), (6, 5))
    above = np.floor(predictions * 4)[None] >= np.arange(5)[:, None]
    np.testing.assert_allclose(rows[0], (above & (labels == 1)).sum(1))
    np.testing.assert_allclose(rows[1], (above & (labels == 0)).sum(1))
    np.testing.assert_allclose(rows[5], rows[0] / 3, rtol=1e-6)


def test_all_kinds(written: Any, tmp_path: Path) -> None:
    """Images, sounds, texts, points and settings are there."""
    writer, read = written
    writer.add_image("image", sg.rand(3, 4, 5))
    writer.add_image("grey", sg.rand(4, 5), dataformats="HW")
    writer.add_images("images", sg.rand(10, 1, 4, 5))
    writer.add_audio("sound", sg.rand(100))
    writer.add_text("text", "hello")
    writer.add_embedding(sg.rand(2, 3), metadata=["a", "b"], label_img=sg.rand(2, 3, 4, 4))
    writer.add_hparams({"rate": 0.1, "name": "x", "flag": True}, {"loss": 0.5}, run_name="run")
    writer.flush()
    tags = read().Tags()
    assert tags["images"] == ["image", "grey", "images"] and tags["audio"] == ["sound"]
    assert (read().Images("images")[0].width, read().Images("images")[0].height) == (8 * 5, 2 * 4)
    assert read().Tensors("text/text_summary")[0].tensor_proto.string_val == [b"hello"]
    assert (tmp_path / "00000/default/metadata.tsv").read_text() == "a\nb\n"
    assert read(tmp_path / "run").Scalars("loss")[0].value == 0.5
    with pytest.raises(NotImplementedError):
        writer.add_graph(sg.nn.Linear(1, 1))
    with pytest.raises(AssertionError, match="format"):
        writer.add_image("image", sg.rand(4, 5))
