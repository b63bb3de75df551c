"""The base of all distributions: batch and event shape, validation, and what every distribution can be asked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import warn_user
from ....runtime.extensions.vmap import level_of
from ....runtime.shapes import Size
from ....runtime.tensor.grad_mode import no_grad
from ...docstrings import completed_within
from ..constraints import Constraint, holds_everywhere, is_dependent
from .parameters import lazy_property

__all__ = ["Distribution"]


class Distribution:
    """The abstract base class of probability distributions.

    A distribution with batch shape B and event shape E stands for as many distributions as B has elements, each over
    events of shape E; `sample(S)` has the shape S + B + E, and `log_prob` of it the shape S + B.

    Args:
        batch_shape: the shape of the parameters that differ between distributions.
        event_shape: the shape of one sample of one of them.
        validate_args: whether parameters and values are checked; None for the default, see `set_default_validate_args`.

    Attributes:
        has_rsample: whether `rsample` gives samples that gradients go through.
        has_enumerate_support: whether `enumerate_support` lists all values.
        arg_constraints: what each parameter that is a tensor has to satisfy, by name.
        support: what samples satisfy.

    Raises: ValueError: a parameter that is NaN, or not what is said of it above.

    Example:
        >>> normal = sg.distributions.Normal(sg.zeros(3), 1.0)
        >>> normal.batch_shape, normal.event_shape, normal.sample((2,)).shape
        (specgrad.Size([3]), specgrad.Size([]), specgrad.Size([2, 3]))
        >>> normal.log_prob(sg.zeros(2, 3)).shape
        specgrad.Size([2, 3])
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _expands: tuple[str, ...]  # the attributes that `expand` expands; a class that sets them needs no `expand`
    _shares: tuple[str, ...] = ()  # those that an expanded distribution has in common with this one
    _log_prob_of: Callable[[Tensor], Tensor] | None = None  # the formulas of a subclass, for values that were checked
    _cdf_of: Callable[[Tensor], Tensor] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        completed_within(__name__, cls, Distribution)

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check parameters and values when `validate_args` does not say so.

        They do from the beginning, but under `python -O`.

        Args:
            value: True or False.

        Raises: ValueError: neither.
        """
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args(): argument 'value' must be True or False, not {value!r}")
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape = batch_shape if isinstance(batch_shape, Size) else Size(batch_shape)
        self._event_shape = event_shape if isinstance(event_shape, Size) else Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()

    def _validate_parameters(self) -> None:
        for name, constraint in self._known_constraints().items():
            if is_dependent(constraint):
                continue  # an instance alone knows what it is
            if name not in vars(self) and isinstance(getattr(type(self), name, None), lazy_property):
                continue  # computed from others that are checked, and not yet
            value = getattr(self, name)
            if not holds_everywhere(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{_shown(value)}"
                )

    def _known_constraints(self) -> Mapping[str, Constraint]:
        try:
            return self.arg_constraints
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation."
            )
            return {}

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """A distribution of the same class, its parameters expanded as views to another `batch_shape`.

        Derived classes give the distribution to fill in as `_instance`.
        """
        for declaring in type(self).__mro__:
            if "_expands" in declaring.__dict__:
                break
        else:
            raise NotImplementedError(f"{type(self).__name__}.expand() is not implemented")
        new, shape = self._get_checked_instance(declaring, _instance), Size(batch_shape)
        for name in self._expands:
            if name in vars(self):
                setattr(new, name, self._expanded(vars(self)[name], shape))
        for name in self._shares:
            setattr(new, name, vars(self)[name])
        Distribution.__init__(new, shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expanded(self, value: Any, shape: Size) -> Any:
        own = value.shape if isinstance(value, Tensor) else value.batch_shape
        return value.expand(shape + own[len(self._batch_shape) :])

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters that differ between distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self) -> Mapping[str, Constraint]:
        """What each parameter that is a tensor has to satisfy, by name."""
        raise NotImplementedError(f"{type(self).__name__}.arg_constraints() is not implemented")

    @property
    def support(self) -> Any:
        """The constraint that samples satisfy."""
        raise NotImplementedError(f"{type(self).__name__}.support() is not implemented")

    @property
    def mean(self) -> Tensor:
        """The mean, of `batch_shape + event_shape`."""
        raise NotImplementedError(f"{type(self).__name__}.mean() is not implemented")

    @property
    def mode(self) -> Tensor:
        """The most probable value, of `batch_shape + event_shape`."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance, of `batch_shape + event_shape`."""
        raise NotImplementedError(f"{type(self).__name__}.variance() is not implemented")

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw independent samples, `sample_shape` of them in front of the batch shape, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples as differentiable functions of the parameters, `sample_shape` of them."""
        raise NotImplementedError(f"{type(self).__name__}.rsample() is not implemented")

    def sample_n(self, n: int) -> Tensor:
        """Draw `n` samples; an older way to say `sample((n,))`."""
        warn_user("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability of discrete values.

        Events in `value` broadcast with `batch_shape + event_shape`; a ValueError for others, or outside the support.
        """
        if self._log_prob_of is None:
            raise NotImplementedError(f"{type(self).__name__}.log_prob() is not implemented")
        self._check(value)
        return self._log_prob_of(value)

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of at most `value`, which broadcasts with `batch_shape + event_shape`."""
        if self._cdf_of is None:
            raise NotImplementedError(f"{type(self).__name__}.cdf() is not implemented")
        self._check(value)
        return self._cdf_of(value)

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`: what a sample exceeds with the probability 1 - `value`."""
        raise NotImplementedError(f"{type(self).__name__}.icdf() is not implemented")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution along a new first dimension.

        With `expand` they are repeated for the batch, (values,) + batch_shape + event_shape; without, its sizes are 1.
        """
        raise NotImplementedError(f"{type(self).__name__}.enumerate_support() is not implemented")

    def entropy(self) -> Tensor:
        """The entropy in nats, of the batch shape."""
        raise NotImplementedError(f"{type(self).__name__}.entropy() is not implemented")

    def perplexity(self) -> Tensor:
        """exp(entropy), of the batch shape."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        if not isinstance(sample_shape, Iterable):
            raise TypeError(f"sample_shape must be a tuple of ints, but got {type(sample_shape).__name__}")
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _check(self, value: Tensor) -> None:
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        self._validate_shape(value.shape)
        try:
            support = self.support
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if not holds_everywhere(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{_shown(value)}"
            )

    def _validate_shape(self, shape: Size) -> None:
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        if shape == expected:
            return
        for size, requested in zip(reversed(shape), reversed(expected), strict=False):
            if size != requested and size != 1 and requested != 1:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")

    def _along(self, values: Tensor, expand: bool) -> Tensor:
        values = values.view(-1, *(1,) * len(self._batch_shape), *self._event_shape)
        return values.expand(-1, *self._batch_shape, *self._event_shape) if expand else values

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """What `expand` of `cls` fills in: `_instance`, or a new instance of the own class, which begins as `cls`."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        values = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        shown = (f"{name}: {_shown(v) if v.numel() == 1 else v.size()}" for name, v in values.items())
        return f"{type(self).__name__}({', '.join(shown)})"


def _shown(value: Tensor) -> str:
    return repr(value) if level_of(value) else f"{value}"
