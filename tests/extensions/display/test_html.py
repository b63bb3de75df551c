"""What a notebook shows: well-formed, escaped, of bounded size, and nothing changes by showing."""

import base64
import random
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn
from specgrad.runtime.extensions.display.html import MAX_PIXELS, MAX_ROWS, colors, png, written_bytes
from specgrad.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

NAN = float("nan")


def shown(value: Any) -> ET.Element:
    """The HTML as a tree; elements without an end get one."""
    closed = re.sub(r"<(img[^>]*)>", r"<\1/>", value._repr_html_())
    return ET.fromstring(f"<div>{closed}</div>")


def picture(value: Any) -> np.ndarray | None:
    found = shown(value).find(".//img")
    if found is None:
        return None
    data = found.attrib["src"].removeprefix("data:image/png;base64,")
    return pixels_of(base64.b64decode(data))


def pixels_of(file: bytes) -> np.ndarray:
    """Colors of a PNG of 8 bits a channel whose lines are not filtered, read as the standard describes the format."""
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, position = {}, 8
    while position < len(file):
        (length,) = struct.unpack_from(">I", file, position)
        kind, data = file[position + 4 : position + 8], file[position + 8 : position + 8 + length]
        assert struct.unpack_from(">I", file, position + 8 + length)[0] == zlib.crc32(kind + data)
        chunks[kind] = data
        position += 12 + length
    assert [*chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *others = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert others == [8, 2, 0, 0, 0]
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3).astype(int)


def cells(value: Any) -> list[list[str]]:
    return [[cell.text or "" for cell in row] for row in shown(value).findall(".//tr")]


def test_a_matrix_is_a_picture_of_its_signs() -> None:
    """Zero is nearly white, what is below blue, what is above red, the more the larger; the text stands beside it."""
    x = sg.tensor([[-2.0, 0.0], [1.0, 2.0]], requires_grad=True)
    found = picture(x)
    assert found is not None and found.shape == (2, 2, 3)
    (negative, zero), (little, much) = found
    assert negative[2] > negative[0] and much[0] > much[2] and min(zero) > 240
    assert much[1] < little[1] < zero[1]
    assert shown(x).find("pre").text == repr(x)  # type: ignore[union-attr]
    assert "-2 (blue) to 2 (red)" in x._repr_html_()


def test_pictures_are_those_that_others_read() -> None:
    """A file of colors has these colors."""
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    assert np.array_equal(pixels_of(png(pixels)), pixels)


@pytest.mark.parametrize(
    "values",
    [[[NAN, 1.0], [2.0, 3.0]], [[NAN] * 2] * 2, [[float("inf"), -float("inf")], [0.0, NAN]], [[3e38, -3e38]] * 2],
)
def test_what_is_no_number_has_a_color(values: list[list[float]]) -> None:
    """A nan is yellow, infinities have the colors of the extremes, and numbers at the limits do not overflow."""
    found = picture(sg.tensor(values))
    assert found is not None
    for line, colored in zip(values, found, strict=True):
        for value, color in zip(line, colored, strict=True):
            assert (tuple(color) == (255, 200, 0)) == (value != value)
    assert np.array_equal(colors(np.full((2, 2), 1e308)), colors(np.full((2, 2), 2.0)))


def test_large_tensors_are_sampled() -> None:
    """Whatever the size, a picture is small, and reads few elements; its text is summarised as ever."""
    x = sg.zeros(3000, 2000)
    x[0, 0], x[-1, -1] = 1, -1
    found = picture(x)
    assert found is not None and found.shape == (MAX_PIXELS, MAX_PIXELS, 3)
    assert tuple(found[0, 0]) == (178, 24, 43) and tuple(found[-1, -1]) == (33, 102, 172)
    assert len(x._repr_html_()) < 10_000 and "64 x 64 of its elements" in x._repr_html_()
    assert len(sg.randn(2000, 2000)._repr_html_()) < 25_000


@pytest.mark.parametrize(
    "dtype", [sg.bool, sg.uint8, sg.int64, sg.float16, sg.bfloat16, sg.float64, sg.complex64, sg.float8_e4m3fn]
)
def test_all_dtypes(dtype: sg.dtype) -> None:
    """The largest number is the reddest."""
    found = picture(sg.tensor([[0, 1], [0, 1]]).to(dtype))
    assert found is not None and tuple(found[0, 1]) == (178, 24, 43) and min(found[0, 0]) > 240


@pytest.mark.parametrize(
    "make",
    [
        lambda: sg.tensor(1.0),
        lambda: sg.ones(3),
        lambda: sg.ones(2, 3, 4),
        lambda: sg.ones(0, 5),
        lambda: sg.ones(4, 1),
        lambda: sg.ones(3, 3, device="meta"),
        lambda: sg.eye(3).to_sparse(),
    ],
)
def test_what_has_no_picture(make: Any) -> None:
    """Other shapes, and tensors without memory of their own, are their text."""
    x = make()
    assert picture(x) is None
    assert shown(x).find("pre").text == repr(x)  # type: ignore[union-attr]


def test_views_and_subclasses() -> None:
    """Transposed and conjugate views show their own elements; parameters are matrices, too."""
    x = sg.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    turned = picture(x.T)
    assert turned is not None and np.array_equal(turned, picture(x).transpose(1, 0, 2))  # type: ignore[union-attr]
    assert picture(nn.Parameter(x)) is not None
    assert shown(sg.complex(x, x).conj()) is not None

    class Named(sg.Tensor):
        def __repr__(self, **_: Any) -> str:
            return "<b>&"

    assert shown(x.as_subclass(Named)).find("pre").text == "<b>&"  # type: ignore[union-attr]
    seen: list[str] = []

    def look(row: sg.Tensor) -> sg.Tensor:
        seen.append(row._repr_html_())
        return row

    sg.vmap(look)(sg.ones(2, 3, 3))
    assert seen and "<img" not in seen[0]


def test_showing_changes_nothing() -> None:
    """Neither gradients nor versions, and no op is recorded."""
    x = sg.randn(4, 4, requires_grad=True)
    y = x * 2
    with sg.profiler.profile() as prof:
        y._repr_html_()
    assert prof.events() == [] and y._version == 0
    y.sum().backward()
    assert x.grad is not None


def test_modules_are_tables() -> None:
    """A row for each layer, with the numbers that counting gives; buffers have bytes and are no parameters."""
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.BatchNorm1d(2))
    assert cells(model) == [
        ["name", "layer", "shape", "parameters", "bytes"],
        ["0", "Linear", "weight (2, 3), bias (2,)", "8", "32 B"],
        ["1", "ReLU", "", "", ""],
        [
            *("2", "BatchNorm1d"),
            "weight (2,), bias (2,), running_mean (2,), running_var (2,), num_batches_tracked ()",
            *("4", "40 B"),
        ],
    ]
    assert shown(model).find(".//caption").text == "Sequential: 12 parameters, 72 B"  # type: ignore[union-attr]
    assert shown(model).find(".//pre").text == repr(model)  # type: ignore[union-attr]


def test_shared_lazy_and_many_layers() -> None:
    """A shared parameter counts once, one without a shape says so, and a table has an end."""
    shared = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    shared[1].weight = shared[0].weight
    assert [row[2:4] for row in cells(shared)[1:]] == [["weight (2, 2)", "4"], ["weight (2, 2), shared", ""]]
    assert cells(nn.LazyLinear(3))[1][2:] == ["weight (not known yet), bias (not known yet)", "", ""]
    rows = cells(nn.Sequential(*(nn.ReLU() for _ in range(500))))
    assert len(rows) == MAX_ROWS + 2 and rows[-1][0] == "... and 300 more"


def test_texts_are_escaped() -> None:
    """Names of the user's are text, whatever is in them."""
    module = nn.Module()
    module.register_buffer("<script>&", sg.ones(2))
    assert cells(module)[1][2] == "<script>& (2,)" and "<script>" not in module._repr_html_()


class Augmented(Dataset[Any]):
    """Draws random numbers from three generators for each sample."""

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> Any:
        noise = random.random() + float(np.random.rand())
        return {"image": sg.rand(3, 8, 8) + noise, "label": index, "box": np.zeros(4)}


def test_loaders_say_what_they_hold() -> None:
    """Samples, batches, and the first sample."""
    loader = DataLoader(Augmented(), batch_size=4, shuffle=True)
    assert cells(loader) == [
        ["dataset", "Augmented"],
        ["batches", "3"],
        ["batch size", "4"],
        ["sampler", "RandomSampler"],
        ["samples", "10"],
        ["first sample", "{'image': specgrad.float32 (3, 8, 8), 'label': int, 'box': float64 (4,)}"],
    ]
    data = TensorDataset(sg.ones(5, 2), sg.arange(5))
    assert cells(data) == [["samples", "5"], ["first sample", "(specgrad.float32 (2,), specgrad.int64 ())"]]
    assert cells(DataLoader([1.0, 2.0]))[-1] == ["first sample", "float"]


def test_showing_data_draws_no_random_numbers() -> None:
    """The next numbers of each generator, and the next batch, are those that would have come."""

    def numbers(look: bool) -> list[Any]:
        sg.manual_seed(1), random.seed(1), np.random.seed(1)
        loader = DataLoader(Augmented(), batch_size=4, shuffle=True)
        if look:
            loader._repr_html_(), loader.dataset._repr_html_()
        return [random.random(), np.random.rand(), sg.rand(1).item(), next(iter(loader))["image"].tolist()]

    assert numbers(True) == numbers(False)


def test_streams_and_broken_datasets() -> None:
    """What can only be iterated is not; an error of the user's is shown."""
    begun: list[int] = []

    class Stream(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            begun.append(1)
            return iter(range(3))

    class Broken(Augmented):
        def __getitem__(self, index: int) -> Any:
            raise OSError("no <file>")

    assert cells(Stream()) == [] and cells(DataLoader(Stream(), batch_size=2))[0] == ["dataset", "Stream"]
    assert begun == []
    assert cells(Broken())[-1] == ["first sample", "OSError: no <file>"]


def test_graphs_are_drawn() -> None:
    """A drawing is SVG that a notebook shows."""
    x = sg.ones(2, requires_grad=True)
    svg = sg.graph.draw((x * 2).sum(), layout="own")._repr_svg_()
    assert ET.fromstring(svg).tag.endswith("svg") and "MulBackward0" in svg


def test_bytes() -> None:
    """Three digits or four, in powers of 1000."""
    assert [written_bytes(n) for n in (0, 999, 1000, 12_345_678, 10**12)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "12.3 MB",
        "1.0 TB",
    ]


def test_nothing_is_loaded_before_it_is_shown() -> None:
    """Importing specgrad, and printing, do not load it."""
    program = "import sys, specgrad as sg; repr(sg.ones(2, 2)); assert not [m for m in sys.modules if 'display' in m]"
    subprocess.run([sys.executable, "-c", program], check=True)
