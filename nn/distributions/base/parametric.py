"""Distributions that declare their parameters, and those of events that are given `probs` or `logits`."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.namespace import op
from ....runtime.shapes import Size
from ....runtime.tensor.dtypes import finfo
from ...docstrings import completed_within
from ..constraints import Constraint
from .distribution import Distribution
from .parameters import broadcast_all, derived, lazy_property, logit_limit, logits_to_probs, probs_to_logits, product

_REQUIRED = object()


class _Declared(NamedTuple):
    constraint: Constraint | None
    default: Any


def parameter(constraint: Constraint | None = None, default: Any = _REQUIRED) -> Tensor:
    """Declares a parameter in the body of a class, with a constraint unless the class has `arg_constraints`."""
    return _Declared(constraint, default)  # type: ignore[return-value]


class Parametric(Distribution):
    """The base of distributions that declare their parameters, in the order of the constructor's arguments.

    `_expands` of such a class names what `expand` expands besides the parameters.

    Shape: The parameters, numbers and tensors, broadcast; their shape is the batch shape.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        completed_within(__name__, cls, Parametric)
        declared = {name: value for name, value in vars(cls).items() if isinstance(value, _Declared)}
        if not declared:
            return
        for name in declared:
            delattr(cls, name)  # instances alone have it
        cls._expands = (*declared, *vars(cls).get("_expands", ()))
        if "arg_constraints" not in vars(cls):
            constraints: Any = {name: value.constraint for name, value in declared.items()}
            cls.arg_constraints = constraints  # type: ignore[method-assign]
        if "__init__" not in vars(cls):
            cls.__init__ = _constructor(cls, declared)  # type: ignore[method-assign]

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        Distribution.__init__(self, batch_shape, validate_args=validate_args)


def _constructor(cls: type, declared: Mapping[str, _Declared]) -> Callable[..., None]:
    """`__init__` of a class, written as `dataclasses` do, so that it has the signature and says what is missing."""
    defaults = {name: value.default for name, value in declared.items() if value.default is not _REQUIRED}
    arguments = [f"{name}: Any = {defaults[name]!r}" if name in defaults else f"{name}: Any" for name in declared]
    text = (
        f"def __init__(self, {', '.join(arguments)}, validate_args: bool | None = None) -> None:\n"
        f"    {''.join(f'self.{name}, ' for name in declared)} = broadcast_all({', '.join(declared)})\n"
        f"    self._construct(self.{next(iter(declared))}.size(), validate_args)\n"
    )
    namespace: dict[str, Any] = {"__name__": cls.__module__, "Any": Any, "broadcast_all": broadcast_all}
    exec(text, namespace)
    made: Callable[..., None] = namespace["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


PROBS_OR_LOGITS = ("probs", "logits", "_param")  # what is expanded of such a distribution, as far as it is known


def require_one(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class ByProbability(Distribution):
    """The base of distributions of events with a probability each, which are given it or its log odds."""

    total_count: Tensor

    def _give(self, probs: Any, logits: Any) -> Tensor:
        require_one(probs, logits)
        name, value = ("logits", logits) if probs is None else ("probs", probs)
        (self._param,) = broadcast_all(value)
        setattr(self, name, self._param)
        return self._param

    def _give_with_count(self, total_count: Any, probs: Any, logits: Any) -> Tensor:
        require_one(probs, logits)
        total_count, value = broadcast_all(total_count, logits if probs is None else probs)
        self.total_count = total_count.to(value.dtype)
        return self._give(*((value, None) if logits is None else (None, value)))

    def _has_probs_param(self) -> bool:
        return "logits" not in vars(self) or self._param is vars(self).get("probs")

    def _log_likelihood(self, successes: Tensor, failures: Tensor) -> Tensor:
        """successes log(p) + failures log(1 - p), 0 for none of either."""
        if self._has_probs_param():
            return successes.xlogy(self.probs) + ops.xlog1py(failures, -self.probs)
        return product(successes, ops.logsigmoid(self.logits)) + product(failures, ops.logsigmoid(-self.logits))

    def _log_prob_of_counts(self, successes: Tensor, failures: Tensor) -> Tensor:
        """The log probability of so many trials of each kind, in any order.

        What logits exceed those whose probabilities are normal numbers is a term of its own.
        """
        if self._has_probs_param():
            return op.binomial_log_prob(successes, failures, self.probs, 1 - self.probs)
        limit = logit_limit(self.logits.dtype)
        limited = self.logits.clamp(min=-limit, max=limit)
        rest = (self.logits - limited).masked_fill(self.logits.abs() <= limit, 0)
        central = op.binomial_log_prob(successes, failures, limited.sigmoid(), (-limited).sigmoid())
        return central + product(successes, rest.clamp(max=0)) - product(failures, rest.clamp(min=0))

    def _logs(self) -> tuple[Tensor, Tensor]:
        """log(p) and log(1 - p), finite: for products with a probability that is 0 where they are not."""
        if self._has_probs_param():
            limits = finfo(self.probs.dtype)
            return self.probs.clamp(min=limits.tiny).log(), (-self.probs.clamp(max=1 - limits.eps / 2)).log1p()
        limit = finfo(self.logits.dtype).max
        limited = self.logits.clamp(min=-limit, max=limit)
        return ops.logsigmoid(limited), ops.logsigmoid(-limited)

    def _complement(self) -> Tensor:
        """1 - p, also where that is small."""
        return 1 - self.probs if self._has_probs_param() else (-self.logits).sigmoid()

    @lazy_property
    def logits(self) -> Tensor:
        """The log odds of the event."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of the event."""
        return logits_to_probs(self.logits, is_binary=True)

    param_shape = derived(lambda self: self._param.size(), "The shape of the parameter that was given.")
