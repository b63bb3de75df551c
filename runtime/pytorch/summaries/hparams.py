"""Settings of a run and what came of it, as messages of TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .package import part
from .values import as_array

_PLAIN = bool, int, float, str


def hparams(
    settings: Mapping[str, Any], metrics: Mapping[str, Any], domains: Mapping[str, Any] | None
) -> tuple[Any, Any]:
    """The summaries of an experiment (names, domains) and of one run of it (values)."""
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
