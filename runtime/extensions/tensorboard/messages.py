"""Numbers, histograms, texts and settings of a run as messages of TensorBoard; the package `tensorboard` is loaded with
the first.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
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
    return value(tag=tag, metadata=metadata, tensor=_tensor("DT_DOUBLE" if double_precision else "DT_FLOAT", values))


def _tensor(kind: str, values: dict[str, Any], shape: tuple[int, ...] = ()) -> Any:
    types, tensors, shapes = part("compat.proto.types_pb2"), proto("tensor"), part("compat.proto.tensor_shape_pb2")
    dims = [shapes.TensorShapeProto.Dim(size=size) for size in shape]
    made = tensors.TensorProto(dtype=getattr(types, kind), tensor_shape=shapes.TensorShapeProto(dim=dims))
    for name, items in values.items():
        getattr(made, name).extend(items)
    return made


def tensor_summary(tag: str, metadata: Any, kind: str, values: dict[str, Any], shape: tuple[int, ...]) -> Any:
    return value(tag=tag, metadata=metadata, tensor=_tensor(kind, values, shape))


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
