"""The base: batch and event shapes, checks of parameters and values with PyTorch's messages, and what is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributions as D


@pytest.fixture
def default() -> Iterator[None]:
    """Distributions check again after a test."""
    yield
    D.Distribution.set_default_validate_args(True)


def test_parameters_are_checked(lib: Any) -> None:
    """The parameter, the distribution, the constraint and the values are named."""
    with pytest.raises(ValueError) as caught:
        lib.distributions.Normal(0.0, lib.tensor([1.0, -1.0]))
    assert str(caught.value).startswith(
        "Expected parameter scale (Tensor of shape (2,)) of distribution Normal("
        f"loc: {lib.__name__}.Size([2]), scale: {lib.__name__}.Size([2])) "
        "to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\ntensor([ 1., -1.]"
    )
    with pytest.raises(ValueError, match="Expected parameter loc .* to satisfy the constraint Real()"):
        lib.distributions.Laplace(float("nan"), 1.0)
    with pytest.raises(ValueError, match=r"low .* to satisfy the constraint LessThan\(upper_bound="):
        lib.distributions.Uniform(1.0, 1.0)
    assert lib.distributions.Normal(0.0, -1.0, validate_args=False).scale == -1


def test_values_are_checked(lib: Any) -> None:
    """By type, event shape, batch shape and support."""
    normal = lib.distributions.Normal(lib.zeros(2, 3), 1.0)
    with pytest.raises(ValueError, match="The value argument to log_prob must be a Tensor"):
        normal.log_prob(0.5)
    with pytest.raises(ValueError, match=r"Value is not broadcastable with batch_shape\+event_shape: .*\[4\]\) vs"):
        normal.log_prob(lib.zeros(4))
    assert normal.log_prob(lib.zeros(5, 1, 3)).shape == (5, 2, 3)
    vector = lib.distributions.MultivariateNormal(lib.zeros(3), lib.eye(3))
    with pytest.raises(
        ValueError, match=r"The right-most size of value must match event_shape: .*\[2\]\) vs .*\[3\]\)"
    ):
        vector.log_prob(lib.zeros(2))
    with pytest.raises(ValueError) as caught:
        lib.distributions.Exponential(lib.ones(2)).cdf(lib.tensor([1.0, -1.0]))
    assert str(caught.value).startswith(
        "Expected value argument (Tensor of shape (2,)) to be within the support (GreaterThanEq(lower_bound=0.0)) "
        f"of the distribution Exponential(rate: {lib.__name__}.Size([2])), but found invalid values:\ntensor([ 1., -1.]"
    )


def test_the_default_is_set(default: None) -> None:
    """For all that do not say themselves."""
    D.Distribution.set_default_validate_args(False)
    assert float(D.Exponential(-1.0).rate) == -1
    with pytest.raises(ValueError, match="Expected parameter rate"):
        D.Exponential(-1.0, validate_args=True)
    with pytest.raises(ValueError):
        D.Distribution.set_default_validate_args("yes")  # type: ignore[arg-type]


def test_checks_stay_with_a_view(default: None) -> None:
    """What is expanded checks values as the one that it came from, and parameters not again."""
    loose = D.Exponential(1.0, validate_args=False).expand((2,))
    assert float(loose.log_prob(sg.tensor(-1.0))[0]) == 1.0
    with pytest.raises(ValueError, match="within the support"):
        D.Exponential(1.0).expand((2,)).log_prob(sg.tensor(-1.0))


def test_printed(lib: Any) -> None:
    """Parameters of one number with their value, others with their size."""
    D, size = lib.distributions, f"{lib.__name__}.Size"
    assert repr(D.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"
    one = lib.zeros(1)
    assert repr(D.Normal(one, 1.0)) == f"Normal(loc: {one!r}, scale: {lib.ones(1)!r})"
    assert repr(D.Normal(lib.zeros(2), 1.0)) == f"Normal(loc: {size}([2]), scale: {size}([2]))"
    assert repr(D.LogNormal(0.0, 1.0)) == "LogNormal()"
    joint = repr(D.Independent(D.Normal(lib.zeros(2), 1.0), 1))
    assert joint == f"Independent(Normal(loc: {size}([2]), scale: {size}([2])), 1)"


def test_numbers_become_tensors() -> None:
    """Of the first tensor's dtype, or of the default one; what is neither is refused."""
    assert D.Normal(sg.zeros(2, dtype=sg.float64), 1).scale.dtype == sg.float64
    assert D.Normal(0, 1).loc.dtype == sg.get_default_dtype()
    assert D.Normal(np.float64(0.0), 1.0).loc.dtype == sg.get_default_dtype()
    with pytest.raises(ValueError, match="must all be instances of Number, torch.Tensor"):
        D.Normal([0.0, 1.0], 1.0)
    with pytest.raises(RuntimeError, match="size of tensor"):
        D.Normal(sg.zeros(2), sg.ones(3))


def test_half_precision() -> None:
    """Parameters of 16 bits give samples and densities of 16 bits."""
    for dtype in (sg.float16, sg.bfloat16):
        made = D.Normal(sg.zeros(3, dtype=dtype), sg.ones(3, dtype=dtype))
        assert made.sample().dtype == made.log_prob(made.mean).dtype == made.entropy().dtype == dtype
        np.testing.assert_allclose(made.log_prob(made.mean).float().numpy(), -0.919 * np.ones(3), rtol=1e-2)


class Sparse(D.Distribution):
    """One that says nothing of itself."""

    def __init__(self, loc: Any, validate_args: bool | None = None) -> None:
        self.loc = loc
        super().__init__(loc.shape, validate_args=validate_args)


def test_what_a_distribution_of_ones_own_leaves_out() -> None:
    """Constraints that are missing are a warning; everything else is an error when it is asked for."""
    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        made = Sparse(sg.zeros(2))
    with pytest.warns(UserWarning, match="does not define `support`"):
        made._validate_sample(sg.zeros(2))
    made = Sparse(sg.zeros(2), validate_args=False)
    for name in ("mean", "variance", "stddev", "mode", "support", "arg_constraints"):
        with pytest.raises(NotImplementedError):
            getattr(made, name)
    for name in ("rsample", "sample", "entropy", "perplexity", "enumerate_support"):
        with pytest.raises(NotImplementedError):
            getattr(made, name)()
    for name in ("log_prob", "cdf", "icdf"):
        with pytest.raises(NotImplementedError):
            getattr(made, name)(sg.zeros(2))
    with pytest.raises(NotImplementedError):
        made.expand((2, 2))
    assert not made.has_rsample and not made.has_enumerate_support
    assert made.batch_shape == (2,) and made.event_shape == ()


def test_derived_classes_expand(lib: Any) -> None:
    """A class with a constructor of its own has to say how; one without is expanded as its base."""

    class Shifted(lib.distributions.Normal):  # type: ignore[name-defined, misc]
        def __init__(self, shift: float) -> None:
            super().__init__(shift, 1.0)

    class Same(lib.distributions.Normal):  # type: ignore[name-defined, misc]
        pass

    with pytest.raises(NotImplementedError, match=re.escape("Subclass Shifted of Normal that defines a custom")):
        Shifted(1.0).expand((2,))
    assert type(Same(0.0, 1.0).expand((2,))) is Same


def test_examples_of_a_batch() -> None:
    """Under `vmap` parameters and values of all examples are checked, and each has its own density and samples."""
    loc = sg.tensor([0.0, 1.0, 2.0], requires_grad=True)

    def density(loc: Any) -> Any:
        return D.Normal(loc, 1.0).log_prob(sg.tensor(0.5))

    np.testing.assert_allclose(sg.vmap(density)(loc).detach().numpy(), density(loc).detach().numpy())
    derivative = sg.func.vmap(sg.func.grad(density))(loc.detach())
    np.testing.assert_allclose(derivative.numpy(), [0.5, -0.5, -1.5])
    with pytest.raises(ValueError, match="Expected parameter scale"):
        sg.vmap(lambda scale: D.Normal(0.0, scale).mean)(loc)
    sampled = sg.vmap(lambda loc: D.Normal(loc, 1.0).rsample((2,)), randomness="different")(loc)
    assert (
        sampled.shape == (3, 2) and sampled.requires_grad and len({*(sampled - loc[:, None]).flatten().tolist()}) == 6
    )
    matrices = sg.eye(2) * sg.tensor([1.0, 4.0]).view(2, 1, 1)
    found = sg.vmap(lambda matrix: D.MultivariateNormal(sg.zeros(2), matrix).entropy())(matrices)
    np.testing.assert_allclose(found.numpy(), D.MultivariateNormal(sg.zeros(2), matrices).entropy().numpy())


def test_a_library_of_its_own(lib: Any) -> None:
    """Classes with another base beside, and constraints that name fewer parameters, are what they are derived from."""

    class Mixin:
        def __call__(self, shape: Any = ()) -> Any:
            return self.rsample(shape)  # type: ignore[attr-defined]

    class Normal(lib.distributions.Normal, Mixin):  # type: ignore[name-defined, misc]
        arg_constraints = {"scale": lib.distributions.constraints.positive}

    class LogNormal(lib.distributions.LogNormal, Mixin):  # type: ignore[name-defined, misc]
        def __init__(self, loc: Any, scale: Any) -> None:
            base = Normal(loc, scale)
            super(lib.distributions.LogNormal, self).__init__(base, lib.distributions.ExpTransform())

        def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
            new = self._get_checked_instance(LogNormal, _instance)
            return super(lib.distributions.LogNormal, self).expand(batch_shape, _instance=new)

    wide = Normal(lib.zeros(2), 1.0).expand((3, 2))
    assert type(wide) is Normal and wide((4,)).shape == (4, 3, 2) and repr(wide).startswith("Normal(scale:")
    assert LogNormal(lib.zeros(2), 1.0).expand((3, 2))().shape == (3, 2)
    assert float(lib.distributions.kl_divergence(wide, wide).sum()) == 0.0
    named = [kind for kind in vars(lib.distributions).values() if isinstance(kind, type)]
    assert lib.distributions.MultivariateNormal in named and lib.distributions.Gumbel in named


def test_sample_n() -> None:
    """The older word warns, and draws."""
    with pytest.warns(FutureWarning, match="Use `sample"):
        assert D.Normal(0.0, 1.0).sample_n(3).shape == (3,)


def test_gradients_go_through_what_is_recorded() -> None:
    """`rsample` and densities are recorded, `sample` is not."""
    loc = sg.zeros(2, requires_grad=True)
    made = D.Normal(loc, 1.0)
    assert made.rsample().requires_grad and made.log_prob(made.sample()).requires_grad
    assert not made.sample().requires_grad
    made.rsample((5,)).sum().backward()
    assert loc.grad is not None and loc.grad.tolist() == [5.0, 5.0]
