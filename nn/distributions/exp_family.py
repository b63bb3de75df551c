"""Exponential families: distributions with natural parameters, whose entropy is found by differentiating."""

from __future__ import annotations

from ...generated.tensor import Tensor
from ...runtime.autograd.backward import grad
from ...runtime.modes.grad_mode import enable_grad, is_grad_enabled
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The abstract base class of exponential families.

    Formula: p(x) = exp(<t(x), theta> - F(theta) + k(x))

    theta are the natural parameters, t the sufficient statistic, F the logarithm of the normaliser and k the carrier
    measure. A derived class has the property `_natural_params`, the method `_log_normalizer(*params)` and the number or
    property `_mean_carrier_measure`, the mean of k.

    Args:
        batch_shape: the shape of the parameters that differ between distributions.
        event_shape: the shape of one sample of one of them.
        validate_args: whether parameters and values are checked.

    Example:
        >>> import specgrad as sg
        >>> normal = sg.distributions.Normal(0.0, 1.0)
        >>> isinstance(normal, sg.distributions.ExponentialFamily)
        True
        >>> sg.distributions.ExponentialFamily.entropy(normal)
        tensor(1.4189)
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """The natural parameters, each of `batch_shape` and dimensions of its own."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """The logarithm of the normaliser, of the batch shape."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Tensor | float:
        """The mean of k(x)."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of the batch shape: F(theta) - <theta, grad F(theta)> - E[k(x)].

        The mean of the sufficient statistic is the gradient of F, so no integral is needed.
        """
        params, log_normalizer, means = self._normalizer_and_means()
        result = log_normalizer - self._mean_carrier_measure
        for param, mean in zip(params, means, strict=True):
            product = param * mean
            result = result - product.reshape((*self._batch_shape, -1)).sum(-1)
        return result

    def _normalizer_and_means(self) -> tuple[tuple[Tensor, ...], Tensor, tuple[Tensor, ...]]:
        """The natural parameters, F of them, and its gradients, which are the means of the sufficient statistics."""
        natural = self._natural_params
        recorded = is_grad_enabled() and any(param.requires_grad for param in natural)
        with enable_grad():
            # Tensors of their own, so that a parameter that another is computed from does not count for that one too.
            params = [p.view_as(p) if recorded and p.requires_grad else p.detach().requires_grad_() for p in natural]
            log_normalizer = self._log_normalizer(*params)
            means = grad(log_normalizer.sum(), params, create_graph=recorded)
        if recorded:
            return tuple(params), log_normalizer, means
        return tuple(p.detach() for p in params), log_normalizer.detach(), means
