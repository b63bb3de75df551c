"""Shape rules of tables of vectors."""

from typing import Any

from ...shapes import Shape


def embedded(weight: Any, indices: Any, *rest: Any) -> Shape:
    return (*indices.shape, *weight.shape[1:])


def table(grad_output: Any, indices: Any, num_weights: int, *rest: Any) -> Shape:
    return (num_weights, *grad_output.shape[len(indices.shape) :])


def bag_rows(weight: Any, indices: Any, offsets: Any, mean: bool, include_last_offset: bool, *rest: Any) -> Shape:
    return (offsets.shape[0] - include_last_offset, weight.shape[1])


def table_of_bags(grad_output: Any, indices: Any, offsets: Any, num_weights: int, *rest: Any) -> Shape:
    return (num_weights, grad_output.shape[1])
