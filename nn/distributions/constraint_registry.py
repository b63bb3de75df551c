"""Transforms for constraints: from unconstrained numbers to a region, as one-to-one functions or as cheap ones.

`biject_to(constraint)` gives a bijective transform, for samplers that need its determinant; `transform_to(constraint)`
one that may have more arguments than results and suits optimisation, since it does not favour a direction.

Example:
    >>> from specgrad.distributions import constraints, transform_to
    >>> unconstrained = sg.zeros(2, requires_grad=True)
    >>> transform_to(constraints.simplex)(unconstrained)
    tensor([0.5000, 0.5000], grad_fn=<SoftmaxBackward0>)
"""

from collections.abc import Callable
from typing import Any

from . import constraints, transforms
from .transforms import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """Finds a transform for a constraint, by its class.

    Example:
        >>> from specgrad.distributions import ExpTransform, constraints, transform_to
        >>> class Loud(constraints.Constraint): pass
        >>> @transform_to.register(Loud)
        ... def construct_transform(constraint):
        ...     return ExpTransform()
        >>> transform_to(Loud())
        ExpTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Register `factory`, which makes transforms for constraints of a class; without it a decorator.

        The `constraint` is such a class or one of its instances; a TypeError for anything else.
        """
        if factory is None:
            return lambda value: self.register(constraint, value)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: constraints.Constraint) -> Transform:
        """A transform from unconstrained numbers to the `constraint`; NotImplementedError where none is registered."""
        try:
            factory = self._registry[type(constraint)]
        except KeyError:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints") from None
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _for_both(*args: Any) -> Callable[[Factory], Factory]:
    def registered(factory: Factory) -> Factory:
        for constraint in args:
            biject_to.register(constraint, factory)
            transform_to.register(constraint, factory)
        return factory

    return registered


@_for_both(constraints.real)
def _to_real(constraint: Any) -> Transform:
    return transforms.identity_transform


@_for_both(constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint: Any) -> Transform:
    shift = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


@_for_both(constraints.less_than)
def _to_less_than(constraint: Any) -> Transform:
    mirror = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), mirror])


@_for_both(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: Any) -> Transform:
    lower, upper = constraint.lower_bound, constraint.upper_bound
    if isinstance(lower, int | float) and isinstance(upper, int | float) and (lower, upper) == (0, 1):
        return transforms.SigmoidTransform()
    affine = transforms.AffineTransform(lower, upper - lower)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), affine])


@biject_to.register(constraints.simplex)
def _biject_to_simplex(constraint: Any) -> Transform:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _transform_to_simplex(constraint: Any) -> Transform:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _transform_to_lower_cholesky(constraint: Any) -> Transform:
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_semidefinite)
@transform_to.register(constraints.positive_definite)
def _transform_to_positive_definite(constraint: Any) -> Transform:
    return transforms.PositiveDefiniteTransform()


@_for_both(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: Any) -> Transform:
    return transforms.CorrCholeskyTransform()


def _register_parts(registry: ConstraintRegistry) -> None:
    @registry.register(constraints.independent)
    def _to_independent(constraint: Any) -> Transform:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def _to_cat(constraint: Any) -> Transform:
        parts = [registry(part) for part in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    @registry.register(constraints.stack)
    def _to_stack(constraint: Any) -> Transform:
        return transforms.StackTransform([registry(part) for part in constraint.cseq], constraint.dim)


_register_parts(biject_to)
_register_parts(transform_to)
