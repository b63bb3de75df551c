"""Forward mode inside generated code: tangents ride on tensors (`_tangent`) while a dual level is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..namespace import op
from ..tensor import TensorBase, alias, fresh
from .fitting import fit
from .grad_mode import watch
from .node import NODE


def tangent_of(value: Any) -> Any:
    """The tangent of a tensor, or a list of them for a list; None where there is none."""
    if isinstance(value, (list, tuple)):
        tangents = [tangent_of(v) for v in value]
        return None if all(t is None for t in tangents) else tangents
    return None if value is None else value._tangent


def propagate(node_class: Any, result: Any, arguments: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
    """Give an op's outputs their tangents, from those of its differentiable inputs."""
    if watch.note is not None:
        watch.note(result)
    tangents = [tangent_of(t) for t in inputs]
    if all(t is None for t in tangents):
        return
    found = node_class.tangent(result, *map(primal_of, arguments), *tangents)
    results = result if isinstance(result, tuple) else (result,)
    for output, tangent in zip(results, found, strict=True):
        output._tangent = None if tangent is None else fit_tangent(tangent, output)
        hand_to_saved(output)


def hand_to_saved(output: Any) -> None:
    """Give the tangent also to the alias of the output that its node has saved: backward may run in this level too."""
    edge = output._fn
    node = edge if edge is None or edge.edge_kind == NODE else edge.node
    for slot in () if node is None else node.saved_slots:
        saved = getattr(node, slot)
        if isinstance(saved, TensorBase) and saved._flat is output._flat and saved is not output:
            saved._tangent = output._tangent


def primal_of(value: Any) -> Any:
    """The same tensor, at the same place in the graph, without its tangent: formulas of tangents use plain ops."""
    if type(value) in (list, tuple):
        return [primal_of(v) for v in value]
    if not isinstance(value, TensorBase) or value._tangent is None:
        return value
    plain = alias(value, value._shape, value._strides, value._offset)
    plain._rg, plain._fn = value._rg, value._fn
    return plain


def fit_tangent(tangent: Any, output: Any) -> Any:
    """A tangent of the shape and dtype of its output."""
    if tangent._shape != output._shape:
        tangent = tangent.expand(output._shape)
    return fit(tangent, (output._shape, output._dtype))


def zeros_if_missing(tangent: Any, primal: Any) -> Any:
    """The tangent itself, or zeros like its input."""
    if isinstance(primal, (list, tuple)):
        given: Sequence[Any] = tangent or [None] * len(primal)
        return [zeros_if_missing(t, p) for t, p in zip(given, primal, strict=True)]
    if tangent is not None or primal is None:
        return tangent
    return fresh(np.zeros(primal.numel(), primal._dtype.np), primal._shape, primal._dtype)


def total(*parts: Any) -> Any:
    """The sum of the parts that are there."""
    found = [part for part in parts if part is not None]
    result = found[0]
    for part in found[1:]:
        result = result + part
    return result


def select_tangent(tangent: Any, dim: Any, keepdim: bool, indices: Any) -> Any:
    """The tangent at the places that forward chose: gather along `dim`, or from the flattened tensor."""
    if dim is None:
        return tangent.reshape(-1).gather(0, indices.reshape(-1)).reshape(indices.shape)
    if tangent.ndim == 0:
        return tangent
    if keepdim:
        return tangent.gather(dim, indices)
    return op.squeeze(tangent.gather(dim, indices.unsqueeze(dim)), dim)


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns."""

    primal: Any
    tangent: Any


class dual_level:
    """While open, tensors made by `make_dual` carry their tangents through every op.

    Example:
        >>> import specgrad as sg
        >>> from specgrad.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(sg.tensor(3.0), sg.tensor(1.0))
        ...     print(forward_ad.unpack_dual(x * x).tangent)
        tensor(6.)
    """

    depth = 0

    def __enter__(self) -> dual_level:
        dual_level.depth += 1
        watch.turn("forward mode", True)
        return self

    def __exit__(self, *_: object) -> None:
        dual_level.depth -= 1
        watch.turn("forward mode", dual_level.depth > 0)


def make_dual(tensor: Any, tangent: Any) -> Any:
    """A view of `tensor` that carries `tangent`, for use inside `dual_level`.

    Args:
        tensor: the primal value.
        tangent: the direction in which to differentiate, of the same shape.

    Raises:
        RuntimeError: the shapes differ.
    """
    if tensor._shape != tangent._shape:
        raise RuntimeError(
            f"make_dual(): expected a tangent of shape {list(tensor._shape)}, but got {list(tangent._shape)}"
        )
    dual = tensor.view_as(tensor)
    dual._tangent = tangent
    return dual


def unpack_dual(tensor: Any) -> tuple[Any, Any]:
    """(primal, tangent) of a tensor, as a named tuple; the tangent is None where it carries none.

    Args:
        tensor: a tensor made inside `dual_level`.
    """
    tangent = tensor._tangent
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    primal = tensor.view_as(tensor)
    primal._tangent = None
    return UnpackedDualTensor(primal, tangent)
