"""Numbers, histograms, texts, images (PNG), sounds (WAV) and settings of a run as messages of TensorBoard, and files
for its projector; the package `tensorboard` is loaded with the first.
"""

import importlib
import io
import struct
import wave
import zlib
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ...tensor.tensor import TensorBase


def part(name: str) -> Any:
    try:
        return importlib.import_module(f"tensorboard.{name}")
    except ImportError as error:
        raise ImportError(
            "specgrad.utils.tensorboard needs the package tensorboard: pip install tensorboard "
            f"(importing tensorboard.{name} failed: {error})"
        ) from error


def proto(name: str) -> Any:
    return part(f"compat.proto.{name}_pb2")


def as_array(value: Any) -> np.ndarray:
    """A tensor, an array, a number or a list of these as a NumPy array; bfloat16 as float32."""
    if isinstance(value, (list, tuple)) and any(isinstance(item, TensorBase) for item in value):
        return np.stack([as_array(item) for item in value])
    if isinstance(value, TensorBase):
        tensor: Any = value
        value = tensor.detach().cpu()
        value = (value.float() if value.dtype.name == "bfloat16" else value).numpy()
    return np.asarray(value)


def value(**fields: Any) -> Any:
    summary = proto("summary").Summary
    return summary(value=[summary.Value(**fields)])


def scalar(tag: str, number: Any, new_style: bool, double_precision: bool) -> Any:
    """The summary of one number. NotImplementedError: the value is a list; AssertionError: it has several elements."""
    if isinstance(number, (list, tuple)):
        raise NotImplementedError(f"Got {type(number)}, but numpy array or torch tensor are expected.")
    result = as_array(number).squeeze()
    if result.ndim:
        raise AssertionError(f"scalar should be 0D, but got an array of shape {result.shape}")
    if not new_style:
        return value(tag=tag, simple_value=float(result))
    metadata = part("plugins.scalar.metadata").create_summary_metadata("", "")
    values = {"double_val": [float(result)]} if double_precision else {"float_val": [float(result)]}
    return tensor_summary(tag, metadata, "DT_DOUBLE" if double_precision else "DT_FLOAT", values, ())


def tensor_summary(tag: str, metadata: Any, kind: str, values: dict[str, Any], shape: tuple[int, ...]) -> Any:
    types, tensors, shapes = part("compat.proto.types_pb2"), proto("tensor"), part("compat.proto.tensor_shape_pb2")
    dims = [shapes.TensorShapeProto.Dim(size=size) for size in shape]
    made = tensors.TensorProto(dtype=getattr(types, kind), tensor_shape=shapes.TensorShapeProto(dim=dims))
    for name, items in values.items():
        getattr(made, name).extend(items)
    return value(tag=tag, metadata=metadata, tensor=made)


def text(tag: str, string: str) -> Any:
    metadata = part("plugins.text.metadata").create_summary_metadata("", "")
    return tensor_summary(f"{tag}/text_summary", metadata, "DT_STRING", {"string_val": [string.encode()]}, (1,))


def exponential_bins() -> np.ndarray:
    """Edges of bins whose sizes grow by a tenth, on both sides of 0."""
    count = int(np.ceil(np.log(1e32) / np.log(1.1)))
    positive = 1e-12 * 1.1 ** np.arange(count)
    return np.concatenate([-positive[::-1], [0.0], positive])


def histogram(tag: str, values: Any, bins: Any, max_bins: int | None) -> Any:
    result = as_array(values).astype(np.float64).ravel()
    if not result.size:
        raise ValueError("The input has no element.")
    counts, edges = np.histogram(result, exponential_bins() if isinstance(bins, str) and bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        factor = -(-len(counts) // max_bins)
        counts = np.add.reduceat(counts, np.arange(0, len(counts), factor))
        edges = np.append(edges[:-1:factor], edges[-1])
    used = np.flatnonzero(counts)
    first, last = (int(used[0]), int(used[-1])) if used.size else (0, 0)
    limits = np.concatenate([[edges[first]], edges[first + 1 : last + 2]])
    retained = np.concatenate([[0], counts[first : last + 1]])
    return histogram_of_counts(
        tag, result.min(), result.max(), result.size, result.sum(), float(result @ result), limits, retained
    )


def histogram_of_counts(
    tag: str, low: Any, high: Any, number: Any, total: Any, squares: Any, limits: Any, counts: Any
) -> Any:
    made = proto("summary").HistogramProto(
        min=float(low),
        max=float(high),
        num=float(number),
        sum=float(total),
        sum_squares=float(squares),
        bucket_limit=[float(limit) for limit in limits],
        bucket=[float(count) for count in counts],
    )
    return value(tag=tag, histo=made)


def pr_curve(tag: str, labels: Any, predictions: Any, thresholds: int, weights: Any) -> Any:
    true, predicted = as_array(labels).ravel().astype(bool), as_array(predictions).ravel()
    weight = np.ones(true.shape) if weights is None else np.broadcast_to(as_array(weights), true.shape)
    bucket = np.clip(np.floor(predicted * (thresholds - 1)), 0, thresholds - 1).astype(np.int64)
    above = [
        np.bincount(bucket, np.where(chosen, weight, 0.0), thresholds)[::-1].cumsum()[::-1] for chosen in (true, ~true)
    ]
    positives, falses = above  # how many of both kinds are predicted at each threshold
    missed, rejected = positives[0] - positives, falses[0] - falses
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = positives / np.maximum(1e-7, positives + falses)
        recall = positives / np.maximum(1e-7, positives + missed)
    rows = np.stack([positives, falses, rejected, missed, precision, recall])
    metadata = part("plugins.pr_curve.metadata").create_summary_metadata(tag, "", rows.shape[1])
    return tensor_summary(tag, metadata, "DT_FLOAT", {"float_val": rows.ravel().tolist()}, rows.shape)


_PLAIN = bool, int, float, str


def hparams(
    settings: Mapping[str, Any], metrics: Mapping[str, Any], domains: Mapping[str, Any] | None
) -> tuple[Any, Any]:
    if not isinstance(settings, Mapping) or not isinstance(metrics, Mapping):
        raise TypeError("hparam_dict and metric_dict should be dictionary.")
    plugin = part("plugins.hparams.summary_v2")
    values = {name: _plain(name, value) for name, value in settings.items() if value is not None}
    discrete = {name: plugin.Discrete(options) for name, options in (domains or {}).items()}
    names = [plugin.HParam(name, discrete.get(name)) for name in values]
    experiment = plugin.hparams_config_pb(hparams=names, metrics=[plugin.Metric(name) for name in metrics])
    return experiment, plugin.hparams_pb(values)


def session(
    hparam_dict: Mapping[str, Any],
    metric_dict: Mapping[str, Any],
    hparam_domain_discrete: Mapping[str, Any] | None = None,
) -> tuple[Any, Any, Any]:
    """The summaries of an experiment, of the beginning of one run of it, and of the run's end.

    Args:
        hparam_dict: the settings of the run.
        metric_dict: what came of it; only the names count.
        hparam_domain_discrete: by name of a setting, the values that it may have.
    """
    return *hparams(hparam_dict, metric_dict, hparam_domain_discrete), part("plugins.hparams.summary").session_end_pb(
        part("plugins.hparams.api_pb2").STATUS_SUCCESS
    )


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    result = as_array(value)
    if result.size != 1 or result.dtype.kind not in "biufU":
        raise ValueError(f"value should be one of int, float, str, bool, or Tensor, but {name!r} is {value!r}")
    return result.item()


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
        rows = metadata if header is None else [header, *metadata]
        lines = [str(row) if header is None else "\t".join(map(str, row)) for row in rows]
        (folder / "metadata.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if label_img is not None:
        images = as_array(label_img)
        if len(images) != len(points):
            raise AssertionError("#images should equal with #data points")
        paths["image_path"] = f"{name}/sprite.png"
        sizes = images.shape[3], images.shape[2]
        (folder / "sprite.png").write_bytes(png(_sprite(images)))
    with open(Path(log_dir, "projector_config.pbtxt"), "a", encoding="utf-8") as file:
        file.write(_listed(f"{tag}:{step:05d}", paths, sizes))


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
