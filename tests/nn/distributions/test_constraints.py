"""Constraints: what satisfies them, their registry of transforms, and how they print."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributions as D
from specgrad.distributions import constraints as C

NAN, INF = np.nan, np.inf
EYE, SKEW = [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]]
LOWER, NEGATIVE = [[1.0, 0.0], [0.5, 2.0]], [[1.0, 0.0], [0.5, -2.0]]
SINGULAR, INDEFINITE = [[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]
CORRELATION = [[1.0, 0.0], [0.6, 0.8]]

CASES: list[tuple[Any, list[Any], list[Any]]] = [  # a constraint, what satisfies it, and what does not
    (C.boolean, [0.0, 1.0], [0.5, -1.0, NAN]),
    (C.real, [0.0, INF, -INF], [NAN]),
    (C.positive, [1e-30, INF], [0.0, -1.0, NAN]),
    (C.nonnegative, [0.0, 1.0], [-1e-30, NAN]),
    (C.greater_than(2.0), [2.5], [2.0, NAN]),
    (C.greater_than_eq(2.0), [2.0], [1.5]),
    (C.less_than(2.0), [1.5], [2.0, NAN]),
    (C.interval(-1.0, 2.0), [-1.0, 2.0], [-1.5, 2.5, NAN]),
    (C.half_open_interval(-1.0, 2.0), [-1.0], [2.0]),
    (C.unit_interval, [0.0, 0.5, 1.0], [1.1, -0.1]),
    (C.integer_interval(1, 3), [1.0, 3.0], [0.0, 1.5, 4.0, NAN]),
    (C.nonnegative_integer, [0.0, 7.0], [-1.0, 0.5]),
    (C.positive_integer, [1.0], [0.0]),
    (C._IntegerLessThan(3), [3.0, -2.0], [4.0, 0.5]),
    (C.real_vector, [[0.0, 1.0]], [[0.0, NAN]]),
    (C.independent(C.positive, 1), [[1.0, 2.0]], [[1.0, -2.0]]),
    (C.simplex, [[0.25, 0.75], [1.0, 0.0]], [[0.5, 0.6], [-0.5, 1.5], [NAN, 1.0]]),
    (C.one_hot, [[0.0, 1.0]], [[1.0, 1.0], [0.0, 0.0], [0.5, 0.5]]),
    (C.multinomial(3), [[1.0, 2.0], [0.0, 1.0]], [[2.0, 2.0], [-1.0, 1.0]]),
    (C.lower_triangular, [LOWER, NEGATIVE], [SKEW, INDEFINITE]),
    (C.lower_cholesky, [EYE, LOWER], [NEGATIVE, SKEW]),
    (C.corr_cholesky, [EYE, CORRELATION], [LOWER, SKEW]),
    (C.square, [EYE, SKEW], []),
    (C.symmetric, [EYE, INDEFINITE], [SKEW]),
    (C.positive_semidefinite, [EYE, [[2.0, 1.0], [1.0, 2.0]]], [INDEFINITE, SKEW]),
    (C.positive_definite, [EYE, [[2.0, 1.0], [1.0, 2.0]]], [INDEFINITE, SKEW, SINGULAR]),
    (C.cat([C.positive, C.simplex], 0, [2, 2]), [], []),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case[0]))
def test_what_satisfies(case: tuple[Any, list[Any], list[Any]]) -> None:
    """One at a time, and as a batch; an event has one answer."""
    constraint, inside, outside = case
    for value in inside:
        assert constraint.check(sg.tensor(value)).tolist() is True
    for value in outside:
        assert constraint.check(sg.tensor(value)).tolist() is False
    if len(inside) > 1:
        found = constraint.check(sg.tensor(inside))
        assert found.shape == (len(inside),) and bool(found.all())


def test_matrices_that_are_not_square() -> None:
    """They may be lower triangular, nothing else; a whole batch is refused."""
    wide = sg.ones(2, 3, 4)
    for constraint in (C.square, C.symmetric, C.positive_definite, C.positive_semidefinite):
        assert constraint.check(wide).tolist() == [False, False]
    assert C.lower_triangular.check(wide.tril()).tolist() == [True, True]


def test_bounds_that_are_tensors() -> None:
    """They broadcast with the values."""
    between = C.interval(sg.tensor([0.0, 1.0]), sg.tensor([1.0, 2.0]))
    assert between.check(sg.tensor([[0.5], [1.5]])).tolist() == [[True, False], [False, True]]


def test_parts() -> None:
    """Each part has its constraint; `cat` by sizes, `stack` one each."""
    concatenated = C.cat([C.positive, C.less_than(0.0)], dim=-1, lengths=[2, 1])
    assert concatenated.check(sg.tensor([1.0, 2.0, 3.0])).tolist() == [True, True, False]
    stacked = C.stack([C.simplex, C.real_vector], dim=0)
    assert stacked.check(sg.tensor([[0.5, 0.5], [3.0, 4.0]])).tolist() == [True, True]
    assert (stacked.event_dim, C.stack([C.simplex], dim=-2).event_dim, concatenated.event_dim) == (1, 2, 0)
    assert C.cat([C.boolean, C.real]).is_discrete and not stacked.is_discrete
    with pytest.raises(AssertionError, match="must match cseq"):
        C.cat([C.real], lengths=[1, 2])
    with pytest.raises(AssertionError, match="out of range"):
        C.stack([C.real], dim=2).check(sg.ones(1))
    with pytest.raises(AssertionError, match="Constraint instances"):
        C.cat([1.0])  # type: ignore[list-item]


def test_printed(lib: Any) -> None:
    """As PyTorch prints them."""
    c = lib.distributions.constraints
    assert repr(c.real) == "Real()" and repr(c.simplex) == "Simplex()"
    assert repr(c.positive) == "GreaterThan(lower_bound=0.0)" and repr(c.less_than(2)) == "LessThan(upper_bound=2)"
    assert repr(c.integer_interval(0, 2)) == "IntegerInterval(lower_bound=0, upper_bound=2)"
    assert repr(c.real_vector) == "IndependentConstraint(Real(), 1)"
    assert repr(c.dependent) == "Dependent()" and repr(c.multinomial(3)) == "Multinomial()"
    assert repr(c.MixtureSameFamilyConstraint(c.real)) == "MixtureSameFamilyConstraint(Real())"


def test_kinds(lib: Any) -> None:
    """How many dimensions an event has, and whether values are discrete."""
    c = lib.distributions.constraints
    for constraint, dims, discrete in (
        (c.real, 0, False),
        (c.boolean, 0, True),
        (c.simplex, 1, False),
        (c.one_hot, 1, True),
        (c.multinomial(2), 1, True),
        (c.lower_cholesky, 2, False),
        (c.independent(c.boolean, 2), 2, True),
        (c.MixtureSameFamilyConstraint(c.simplex), 1, False),
    ):
        assert (constraint.event_dim, constraint.is_discrete) == (dims, discrete)


def test_dependent() -> None:
    """Of a class it is a constraint that checks nothing, of an instance what its function says."""
    assert C.is_dependent(D.Uniform.support) and D.Uniform.support.event_dim == 0  # type: ignore[attr-defined]
    assert not C.is_dependent(D.Uniform(0.0, 1.0).support)
    with pytest.raises(ValueError, match="Cannot determine validity"):
        C.dependent.check(sg.ones(1))
    with pytest.raises(NotImplementedError, match=".event_dim cannot be determined statically"):
        _ = C.dependent.event_dim
    with pytest.raises(NotImplementedError, match=".is_discrete cannot be determined statically"):
        _ = C.dependent(event_dim=1).is_discrete
    known = C.dependent(event_dim=1)(is_discrete=True)
    assert (known.event_dim, known.is_discrete) == (1, True)


def test_too_few_dimensions() -> None:
    """Events that need more than a value has are an error."""
    with pytest.raises(ValueError, match=r"Expected value.dim\(\) >= 2 but got 1"):
        C.independent(C.real, 2).check(sg.ones(3))
    with pytest.raises(AssertionError, match="must be >= 0"):
        C.independent(C.real, -1)
    with pytest.raises(AssertionError, match="must be a Constraint"):
        C.independent(1.0, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("constraint", "shape"),
    [
        (C.real, (3,)),
        (C.positive, (3,)),
        (C.nonnegative, (3,)),
        (C.greater_than(2.0), (3,)),
        (C.less_than(2.0), (3,)),
        (C.unit_interval, (3,)),
        (C.interval(-1.0, 2.0), (3,)),
        (C.half_open_interval(-1.0, 2.0), (3,)),
        (C.simplex, (3,)),
        (C.lower_cholesky, (3, 3)),
        (C.positive_definite, (3, 3)),
        (C.positive_semidefinite, (3, 3)),
        (C.corr_cholesky, (3,)),
        (C.independent(C.positive, 1), (3,)),
        (C.cat([C.positive, C.real], -1, [1, 2]), (3,)),
        (C.stack([C.positive, C.real, C.unit_interval], -1), (3,)),
    ],
    ids=lambda value: repr(value) if isinstance(value, C.Constraint) else None,
)
def test_transforms_reach_the_constraint(constraint: Any, shape: tuple[int, ...]) -> None:
    """From any numbers both registries give values inside; the bijective one goes back to the numbers."""
    unconstrained = sg.tensor(np.random.default_rng(1).normal(size=(5, *shape)), requires_grad=True)
    for registry in (D.transform_to, D.biject_to):
        try:
            transform = registry(constraint)
        except NotImplementedError:
            assert registry is D.biject_to and len(shape) == 2
            continue
        value = transform(unconstrained)
        assert bool(constraint.check(value).all()) and value.requires_grad
        np.testing.assert_allclose(transform(transform.inv(value)).detach().numpy(), value.detach().numpy(), rtol=1e-6)
        if registry is D.biject_to:
            assert transform.bijective
            np.testing.assert_allclose(transform.inv(value).detach().numpy(), unconstrained.detach().numpy(), rtol=1e-6)


def test_registering() -> None:
    """A class or an instance of it; what is neither, and a constraint without a transform, are errors."""
    registry = D.constraint_registry.ConstraintRegistry()
    registry.register(C.positive, lambda constraint: D.SoftplusTransform())
    assert registry(C.greater_than(1.0)) == D.SoftplusTransform()
    with pytest.raises(NotImplementedError, match="Cannot transform _Simplex constraints"):
        registry(C.simplex)
    with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance"):
        registry.register(1.0, lambda constraint: D.ExpTransform())
    assert D.biject_to is D.constraint_registry.biject_to


def test_own_constraints(lib: ModuleType) -> None:
    """A constraint of the user's may give its class, or each object, a number of dimensions of its own."""

    class Ordered(lib.distributions.constraints.Constraint):  # type: ignore[misc, name-defined]
        """Values in order along the last dimensions."""

        def __init__(self, event_dim: int) -> None:
            self.event_dim = event_dim
            self.is_discrete = True

    assert (Ordered(2).event_dim, Ordered(2).is_discrete) == (2, True)
    assert lib.distributions.constraints.Constraint.event_dim == 0
