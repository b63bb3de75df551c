"""Shape rules of products."""

from typing import Any

from ...shapes import Shape


def product(self: Any, other: Any) -> Shape:
    return (*self.shape[:-1], *(other.shape[-1:] if len(other.shape) > 1 else ()))


def sum_and_product(self: Any, left: Any, right: Any, *factors: Any) -> Shape:
    return product(left, right)


def sum_of_products(self: Any, left: Any, right: Any, *factors: Any) -> Shape:
    return product(left, right)[1:]


def linear_shape(self: Any, weight: Any, bias: Any) -> Shape:
    return (*self.shape[:-1], *weight.shape[:-1])


def linear_weight(grad_output: Any, self: Any) -> Shape:
    outputs = grad_output.shape[-1:] if len(grad_output.shape) == len(self.shape) else ()
    return (*outputs, self.shape[-1])


def product_by_coordinates(self: Any, row: Any, column: Any, count: int, mat2: Any) -> Shape:
    return (count, mat2.shape[1])
