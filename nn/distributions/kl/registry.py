"""Which function computes the divergence of two distributions, by their classes; and those for whole kinds of them."""

from collections.abc import Callable
from typing import Any, TypeVar

from ....generated.tensor import Tensor
from ....runtime.errors import warn_user
from ..base.distribution import Distribution
from ..base.parameters import _sum_rightmost
from ..independent import ExponentialFamily, Independent, TransformedDistribution

Divergence = Callable[[Any, Any], Tensor]
Registered = TypeVar("Registered", bound=Divergence)

_KL_REGISTRY: dict[tuple[type, type], Divergence] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}  # what was found for pairs of classes; emptied by each registration


def register_kl(type_p: type, type_q: type) -> Callable[[Registered], Registered]:
    """A decorator: the function computes `kl_divergence(p, q)` of distributions of these classes and derived ones.

    Of several that fit the most specific one is taken, by p before q. Where one is more specific for p and another
    for q, there is a warning that says how to settle it.

    Args:
        type_p: the class of the first distribution.
        type_q: the class of the second.

    Raises: TypeError: not a class. (A library's own distributions may have another base, as they do in PyTorch.)

    Example:
        >>> class Skewed(sg.distributions.Normal): pass
        >>> @sg.distributions.register_kl(Skewed, Skewed)
        ... def distance(p, q):
        ...     return (p.loc - q.loc).abs()
        >>> sg.distributions.kl_divergence(Skewed(0.0, 1.0), Skewed(2.0, 1.0))
        tensor(2.)
    """
    for name, value in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(value, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {value}")

    def registered(function: Registered) -> Registered:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return registered


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence of q from p, of the batch shape: the mean of log p(x) - log q(x) for x from p.

    Args:
        p: a distribution.
        q: one that p is compared with.

    Raises: NotImplementedError: no function is registered for the classes.

    Example:
        >>> from specgrad.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    classes = (type(p), type(q))
    if classes not in _KL_MEMOIZE:
        _KL_MEMOIZE[classes] = _dispatch_kl(*classes)
    function = _KL_MEMOIZE[classes]
    if function is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return function(p, q)


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    matches = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not matches:
        return NotImplemented
    match_depths = {pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])) for pair in matches}
    by_p = min(matches, key=lambda pair: match_depths[pair])
    by_q = min(matches, key=lambda pair: match_depths[pair][::-1])
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        names = (type_p.__name__, type_q.__name__, by_p[0].__name__, by_q[1].__name__)
        warn_user("Ambiguous kl_divergence({}, {}). Please register_kl({}, {})".format(*names), RuntimeWarning)
    return _KL_REGISTRY[by_p]


def _infinite_like(value: Tensor) -> Tensor:
    return value.new_full(value.shape, float("inf"))


def _x_log_x(value: Tensor) -> Tensor:
    """x log(x), and 0 where x is 0."""
    return value.xlogy(value)


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """The Bregman divergence of the log-normaliser: F(theta_q) - F(theta_p) - <theta_q - theta_p, grad F(theta_p)>."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot "
            "be computed using Bregman divergences"
        )
    params, log_normalizer, means = p._normalizer_and_means()
    others = q._natural_params
    result = q._log_normalizer(*others) - log_normalizer
    for param, other, mean in zip(params, others, means, strict=True):
        result = result - _sum_rightmost((other - param) * mean, len(q.event_shape))
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """That of the bases: a bijective function of both distributions changes nothing."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    more = len(p.event_shape) - len(p.base_dist.event_shape)
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), more)


@register_kl(Independent, Independent)
def _kl_independent_independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
