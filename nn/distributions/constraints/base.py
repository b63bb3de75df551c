"""What constraints are, and those of numbers."""

from collections.abc import Callable
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.extensions.vmap import level_of
from ..base.parameters import alias, derived


class Constraint:
    """A region over which a variable is valid, for instance one that can be optimised.

    Attributes:
        is_discrete: whether the region is one of separate points. Default: False.
        event_dim: how many rightmost dimensions make one event, of which `check` gives one answer. Default: 0.

    Example:
        >>> constraint = sg.distributions.constraints.positive
        >>> constraint, constraint.is_discrete, constraint.event_dim
        (GreaterThan(lower_bound=0.0), False, 0)
        >>> constraint.check(sg.tensor([-1.0, 2.0]))
        tensor([False,  True])
    """

    is_discrete: Any = False  # attributes, so that a subclass may have others, or give them to its objects
    event_dim: Any = 0

    def check(self, value: Tensor) -> Tensor:
        """Whether each event in `value` satisfies the constraint: a tensor of bools of `sample_shape + batch_shape`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('_')}()"


class _Dependent(Constraint):
    """Stands for a constraint that depends on other variables: what those are, it cannot check."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return bool(self._is_discrete)

    @property
    def event_dim(self) -> int:
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return int(self._event_dim)

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> "_Dependent":
        """A dependent constraint of which more is known: what is not given here is as it was."""
        if is_discrete is NotImplemented:
            is_discrete = self._is_discrete
        if event_dim is NotImplemented:
            event_dim = self._event_dim
        return _Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


def holds_everywhere(checked: Tensor) -> bool:
    """Whether all are True; under `vmap` those of all examples, as one answer is needed."""
    while level_of(checked):
        checked = checked.value  # type: ignore[attr-defined]
    return bool(checked.all())


def is_dependent(constraint: object) -> bool:
    """Whether a constraint depends on other variables, so that the class alone cannot tell what it is.

    Args:
        constraint: a constraint.

    Example:
        >>> constraints = sg.distributions.constraints
        >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
        (True, False)
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property of distributions that is a constraint; of the class it is a dependent one.

    Args:
        fn: the property's function.
        is_discrete: what is known of it without an instance.
        event_dim: what is known of it without an instance.

    Example:
        >>> from specgrad.distributions import constraints
        >>> class Uniform(sg.distributions.Distribution):
        ...     def __init__(self, low, high):
        ...         self.low, self.high = low, high
        ...     @constraints.dependent_property(is_discrete=False, event_dim=0)
        ...     def support(self):
        ...         return constraints.interval(self.low, self.high)
        >>> Uniform(0, 2).support
        Interval(lower_bound=0, upper_bound=2)
        >>> Uniform.support.event_dim
        0
    """

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[..., Any]) -> "_DependentProperty":  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """A constraint of events that consist of several of another's: all of them have to satisfy it.

    Args:
        base_constraint: the constraint of each.
        reinterpreted_batch_ndims: how many more dimensions an event has.
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError(
                f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}"
            )
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        super().__init__()

    is_discrete = alias("base_constraint.is_discrete")
    event_dim = derived(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            expected = self.base_constraint.event_dim + self.reinterpreted_batch_ndims
            raise ValueError(f"Expected value.dim() >= {expected} but got {value.dim()}")
        batch = result.dim() - self.reinterpreted_batch_ndims
        return result.flatten(batch).all(-1) if self.reinterpreted_batch_ndims else result

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The support of a MixtureSameFamily: that of a component, of which a value has one for all components.

    Args:
        base_constraint: the support of the components.
    """

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint
        super().__init__()

    is_discrete = alias("base_constraint.is_discrete")
    event_dim = alias("base_constraint.event_dim")

    def check(self, value: Tensor) -> Tensor:
        """Whether `value` lies in the support of every component: (..., E...) answers (...)."""
        components = value.unsqueeze(-1 - self.event_dim)
        return self.base_constraint.check(components).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


Bound = Any  # a number or a tensor of them


class _Boolean(Constraint):
    """Zero or one."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """Every number, infinite ones too; NaN is none."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _Bounded(Constraint):
    """What has bounds, which are all that it keeps; derived classes say of which kind."""

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


class _Lower(_Bounded):
    def __init__(self, lower_bound: Bound) -> None:
        self.lower_bound = lower_bound
        super().__init__()


class _Upper(_Bounded):
    def __init__(self, upper_bound: Bound) -> None:
        self.upper_bound = upper_bound
        super().__init__()


class _Between(_Bounded):
    def __init__(self, lower_bound: Bound, upper_bound: Bound) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()


class _GreaterThan(_Lower):
    """Greater than `lower_bound`."""

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_Lower):
    """At least `lower_bound`."""

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound <= value


class _IntegerGreaterThan(_Lower):
    """A whole number, at least `lower_bound`."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _LessThan(_Upper):
    """Less than `upper_bound`."""

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _IntegerLessThan(_Upper):
    """A whole number, at most `upper_bound`."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _Interval(_Between):
    """From `lower_bound` to `upper_bound`, with both."""

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """From `lower_bound`, with it, to `upper_bound`, without."""

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    """A whole number from `lower_bound` to `upper_bound`, with both."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)
