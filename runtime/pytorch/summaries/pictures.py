"""Images and sounds as messages of TensorBoard, in formats that are written here: PNG and WAV."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from importlib import import_module
from typing import Any

import numpy as np

from .package import proto
from .values import as_array

_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's kinds of pixels, by the number of channels


def png(pixels: np.ndarray) -> bytes:
    """An image of 8 bits for each of 1 to 4 channels, of shape (height, width, channels), as a PNG file."""
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
    summary = proto("summary").Summary
    result = summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=png(pixels))
    return summary(value=[summary.Value(tag=tag, image=result)])


def figure(figures: Any, close: bool) -> np.ndarray:
    """The pixels of a matplotlib figure, or of several, as a batch of images with channels first."""
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
    summary = proto("summary").Summary
    result = summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=len(grid_image),
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return summary(value=[summary.Value(tag=tag, audio=result)])
