"""The key `onnx` of every entry: its samples are exported, run by two implementations of ONNX and compared."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.verify.calls.samples import Drawing, SampledArgument, sample_calls
from specgrad.generated.registry import OPS
from specgrad.runtime.tensor import dtypes

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.cpu("a graph is recorded on the host")

EXPORTED = [op for op in OPS if op.onnx]


def _tensor(sampled: SampledArgument) -> Any:
    array = sampled.array
    return sg.tensor(array.astype(np.float32) if array.dtype.kind == "f" else array)


def _calls(op: Any) -> Iterator[tuple[str, Callable[..., Any], list[Any]]]:
    """Each sample as a function of its tensors, with these."""
    for text in sample_calls(op):
        given = Drawing(op, text, False, dtypes).arguments(text)
        given = {("input" if name == "self" and "input" in _names(op) else name): v for name, v in given.items()}
        tensors: list[Any] = []

        def take(value: Any, tensors: list[Any] = tensors) -> Any:
            if isinstance(value, SampledArgument):
                tensors.append(_tensor(value))
                number = len(tensors) - 1
                return lambda each: each[number]
            if isinstance(value, list):
                parts = [take(item) for item in value]
                return lambda each: [part(each) for part in parts]
            return lambda each: value

        parts = {name: take(value) for name, value in given.items()}

        def call(*each: Any, parts: dict[str, Any] = parts) -> Any:
            return op.function(**{name: part(each) for name, part in parts.items()})

        yield text, call, tensors


def _names(op: Any) -> list[str]:
    return list(inspect.signature(op.function).parameters)


def _compare(text: str, found: list[Any], requested: list[Any]) -> None:
    for one, other in zip(found, requested, strict=True):
        assert one.dtype == other.dtype, text
        assert one.shape == other.shape, text
        limit = 2e-5 * max(1.0, float(np.abs(other).max(initial=0, where=np.isfinite(other))))
        np.testing.assert_allclose(one, other, rtol=0, atol=limit, err_msg=text)


@pytest.mark.parametrize("op", EXPORTED, ids=[op.name for op in EXPORTED])
def test_samples_are_what_onnx_computes(op: Any) -> None:
    """Exported and run by onnx's reference implementation and by onnxruntime, each sample gives what the op gives."""
    exported = 0
    for text, call, tensors in _calls(op):
        try:
            program = sg.onnx.export(lambda *each, call=call, op=op: _saved(op, call(*each)), tuple(tensors))
        except sg.onnx.OnnxExporterError as error:
            assert isinstance(error.__cause__, NotImplementedError), text
            continue
        assert program is not None
        onnx.checker.check_model(program.model_proto, full_check=True)
        requested = [np.asarray(value) for value in _outputs(op, call, tensors)]
        runs = [found for run in (_by_reference, _by_runtime) if (found := run(program, tensors)) is not None]
        for found in runs:
            _compare(text, found, requested)
        exported += len(runs)
    assert exported


def _outputs(op: Any, call: Callable[..., Any], tensors: list[Any]) -> list[Any]:
    with sg.no_grad():
        return _saved(op, call(*[tensor.clone() for tensor in tensors]))


def _saved(op: Any, result: Any) -> list[Any]:
    """The results that the entry says something of."""
    results = [result] if isinstance(result, sg.Tensor) else list(result)
    last = op.onnx.splitlines()[-1]
    count = last.count(", None)") + last.count(", None,")
    return results[: len(results) - count]


def _by_reference(program: Any, tensors: list[Any]) -> list[Any] | None:
    """What onnx's reference implementation computes; None where it lacks a part of an operator, as groups."""
    try:
        with np.errstate(all="ignore"):  # at the borders of domains, and for what Where leaves out
            return [np.asarray(value) for value in program.call_reference(*tensors)]
    except (IndexError, ValueError):
        return None


def _by_runtime(program: Any, tensors: list[Any]) -> list[Any] | None:
    """What onnxruntime computes; None where it is missing, or has no kernel for a dtype of the model."""
    try:
        runtime = importlib.import_module("onnxruntime")
    except ModuleNotFoundError:
        return None
    refusals = runtime.capi.onnxruntime_pybind11_state
    try:
        return [np.asarray(value) for value in program(*tensors)]
    except (refusals.NotImplemented, refusals.InvalidArgument):
        return None
