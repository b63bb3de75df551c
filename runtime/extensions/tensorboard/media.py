"""Images and sounds as messages of TensorBoard, in formats that are written here (PNG and WAV), and points for its
projector: files beside the event files, and the list of them that it reads.
"""

from __future__ import annotations

import io
import struct
import wave
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .messages import as_array, proto, value

_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's kinds of pixels, by the number of channels


def png(pixels: np.ndarray) -> bytes:
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOURS[channels], 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _as_pixels(image: Any, dataformats: str) -> np.ndarray:
    """An image, or a batch of them as one, of shape (height, width, channels) with 8 bits."""
    result = as_array(image)
    dim_labels = dataformats.upper()
    if len(dim_labels) != result.ndim or len(set(dim_labels)) != len(dim_labels) or set(dim_labels) - set("NCHW"):
        raise AssertionError(f"an image of shape {result.shape} does not have the format {dataformats!r}")
    known_dims = [dim_label for dim_label in "NHWC" if dim_label in dim_labels]
    result = result.transpose([dim_labels.index(dim_label) for dim_label in known_dims])
    if "C" not in dim_labels:
        result = result[..., None]
    if "N" in dim_labels:
        result = _grid(result)
    if result.shape[-1] not in _COLOURS:
        raise AssertionError(f"an image has 1 to 4 channels, but got {result.shape[-1]}")
    if result.dtype != np.uint8:
        result = np.clip(result.astype(np.float64) * 255.0, 0, 255).astype(np.uint8)
    return np.repeat(result, 3, -1) if result.shape[-1] == 1 else result


def _grid(images: np.ndarray, columns: int = 8) -> np.ndarray:
    count, height, width, channels = images.shape
    across = min(count, columns)
    down = -(-count // across)
    grid_image = np.zeros((down * across, height, width, channels), images.dtype)
    grid_image[:count] = images
    rows = grid_image.reshape(down, across, height, width, channels).transpose(0, 2, 1, 3, 4)
    return rows.reshape(down * height, across * width, channels)


def image(tag: str, tensor: Any, dataformats: str) -> Any:
    pixels = _as_pixels(tensor, dataformats)
    height, width, channels = pixels.shape
    result = proto("summary").Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=png(pixels)
    )
    return value(tag=tag, image=result)


def figure(figures: Any, close: bool) -> np.ndarray:
    matches = []
    for one in figures if isinstance(figures, list) else [figures]:
        plt: Any = import_module("matplotlib.pyplot")  # only for those who have made a figure
        canvas = import_module("matplotlib.backends.backend_agg").FigureCanvasAgg(one)
        canvas.draw()
        matches.append(np.asarray(canvas.buffer_rgba())[..., :3].transpose(2, 0, 1))
        if close:
            plt.close(one)
    return np.stack(matches)


def audio(tag: str, sound: Any, sample_rate: int) -> Any:
    """The summary of a sound between -1 and 1, as one channel of 16 bits."""
    samples = as_array(sound).squeeze()
    if samples.ndim != 1:
        raise AssertionError(f"input tensor should be 1 dimensional, but got {samples.ndim} dimensions")
    grid_image = (np.clip(samples, -1, 1) * np.iinfo(np.int16).max).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(sample_rate)
        out.writeframes(grid_image.tobytes())
    result = proto("summary").Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=len(grid_image),
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return value(tag=tag, audio=result)


def write_embedding(
    log_dir: str, mat: Any, metadata: Sequence[Any] | None, label_img: Any, step: int, tag: str, header: Any
) -> None:
    points = as_array(mat)
    if points.ndim != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    name = f"{step:05d}/{tag}"
    folder = Path(log_dir, name)
    folder.mkdir(parents=True, exist_ok=True)
    sizes: tuple[int, ...] = ()
    paths = {"tensor_path": f"{name}/tensors.tsv"}
    np.savetxt(folder / "tensors.tsv", points, delimiter="\t", fmt="%s")
    if metadata is not None:
        if len(metadata) != len(points):
            raise AssertionError("#labels should equal with #data points")
        paths["metadata_path"] = f"{name}/metadata.tsv"
        _write_labels(folder / "metadata.tsv", metadata, header)
    if label_img is not None:
        images = as_array(label_img)
        if len(images) != len(points):
            raise AssertionError("#images should equal with #data points")
        paths["image_path"] = f"{name}/sprite.png"
        sizes = images.shape[3], images.shape[2]
        (folder / "sprite.png").write_bytes(png(_sprite(images)))
    with open(Path(log_dir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
        file.write(_listed(f"{tag}:{step:05d}", paths, sizes))


def _write_labels(path: Path, metadata: Sequence[Any], header: Sequence[str] | None) -> None:
    rows = metadata if header is None else [header, *metadata]
    lines = [str(row) if header is None else "\t".join(map(str, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _sprite(images: np.ndarray) -> np.ndarray:
    count, channels, height, width = images.shape
    side = int(np.ceil(np.sqrt(count)))
    canvas = np.zeros((side * side, channels, height, width))
    canvas[:count] = images if images.dtype != np.uint8 else images / 255.0
    rows = canvas.reshape(side, side, channels, height, width).transpose(0, 3, 1, 4, 2)
    return np.clip(rows.reshape(side * height, side * width, channels) * 255.0, 0, 255).astype(np.uint8)


def _listed(name: str, paths: dict[str, str], sizes: tuple[int, ...]) -> str:
    lines = [f'  tensor_name: "{name}"']
    lines += [f'  {kind}: "{path}"' for kind, path in paths.items() if kind != "image_path"]
    if sizes:
        dims = [f"    single_image_dim: {size}" for size in sizes]
        lines += ["  sprite {", f'    image_path: "{paths["image_path"]}"', *dims, "  }"]
    return "\n".join(["embeddings {", *lines, "}", ""])
