"""`distributions.utils`, and the modules of PyTorch's names."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributions
from specgrad.distributions import constraints, utils
from specgrad.nn.distributions.base.parametric import Parametric, parameter


def test_broadcast_all(lib: Any) -> None:
    """Numbers take the first tensor's dtype; shapes broadcast."""
    first, second = lib.distributions.utils.broadcast_all(1, lib.zeros(2, 1, dtype=lib.float64))
    assert first.dtype == second.dtype == lib.float64 and first.shape == (2, 1)
    assert lib.distributions.utils.broadcast_all(True, 2)[0].dtype == lib.get_default_dtype()
    with pytest.raises(ValueError, match="must all be instances of Number, torch.Tensor"):
        lib.distributions.utils.broadcast_all("1.0", 2.0)


@pytest.mark.parametrize("binary", [True, False])
def test_probabilities_and_logits(binary: bool) -> None:
    """They are each other's inverse, up to a constant of classes; zeros and ones have finite logits."""
    probs = sg.tensor([[0.2, 0.3, 0.5], [0.0, 0.4, 0.6]], dtype=sg.float64)
    logits = utils.probs_to_logits(probs, is_binary=binary)
    np.testing.assert_allclose(utils.logits_to_probs(logits, is_binary=binary).numpy(), probs.numpy(), atol=1e-12)
    for dtype in (sg.float16, sg.float32, sg.bfloat16):
        ends = sg.tensor([0.0, 1.0], dtype=dtype)
        found = utils.clamp_probs(ends)
        assert found.dtype == dtype and bool(((found > 0) & (found < 1)).all())
        assert bool(utils.probs_to_logits(ends, is_binary=True).isfinite().all())


@pytest.mark.parametrize("diag", [-2, -1, 0, 1, 3])
def test_triangles_as_vectors(diag: int) -> None:
    """Row after row, as NumPy lists them; back again."""
    matrix = np.arange(1.0, 33).reshape(2, 4, 4)
    vector = utils.tril_matrix_to_vec(sg.tensor(matrix), diag)
    rows, columns = np.tril_indices(4, diag)
    np.testing.assert_array_equal(vector.numpy(), matrix[:, rows, columns])
    np.testing.assert_array_equal(utils.vec_to_tril_matrix(vector, diag).numpy(), np.tril(matrix, diag))


def test_triangles_that_are_none() -> None:
    """Diagonals and lengths that do not fit."""
    with pytest.raises(ValueError, match=r"diag \(2\) provided is outside \[-2, 1\]"):
        utils.tril_matrix_to_vec(sg.ones(2, 2), 2)
    for length in (2, 4, 5):
        with pytest.raises(ValueError, match=f"last dimension is {length} which cannot be expressed"):
            utils.vec_to_tril_matrix(sg.ones(length))


def test_lazy_property(lib: Any) -> None:
    """Computed once, and recorded even where nothing is; of the class it is a property."""
    calls = []

    class Doubled:
        def __init__(self, x: Any) -> None:
            self.x = x

        @lib.distributions.utils.lazy_property  # type: ignore[untyped-decorator, misc]
        def twice(self) -> Any:
            """Two of it."""
            calls.append(1)
            return 2 * self.x

    made = Doubled(lib.ones(1, requires_grad=True))
    with lib.no_grad():
        first = made.twice
    assert made.twice is first and first.requires_grad and len(calls) == 1
    assert isinstance(Doubled.twice, property) and Doubled.twice.__doc__ == "Two of it."


def test_modules_of_pytorchs_names() -> None:
    """Each of PyTorch's modules is there, with every name that it offers; modules are attributes without an import."""
    theirs = pytest.importorskip("torch.distributions")
    ours = sg.distributions
    assert {*theirs.__all__} <= {*ours.__all__}
    for found in pkgutil.iter_modules(theirs.__path__):
        module = importlib.import_module(f"specgrad.distributions.{found.name}")
        assert getattr(ours, found.name) is module
        for name in getattr(importlib.import_module(f"torch.distributions.{found.name}"), "__all__", []):
            assert hasattr(module, name), f"{found.name}.{name}"


def test_modules_by_path() -> None:
    """A module of PyTorch's name has what a file of some folder of ours defines, and its classes are the package's."""
    for path, name in (
        ("normal", "Normal"),
        ("multivariate_normal", "MultivariateNormal"),
        ("relaxed_bernoulli", "RelaxedBernoulli"),
        ("kl", "kl_divergence"),
        ("transforms", "ExpTransform"),
        ("exp_family", "ExponentialFamily"),
        ("constraint_registry", "biject_to"),
        ("transformed_distribution", "TransformedDistribution"),
    ):
        module = importlib.import_module(f"specgrad.distributions.{path}")
        assert getattr(module, name) is getattr(sg.distributions, name)
        assert inspect.unwrap(getattr(module, name)).__module__.startswith("specgrad.nn.distributions.")
    from specgrad.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv, _standard_normal
    from specgrad.distributions.utils import _sum_rightmost, euler_constant

    assert callable(_batch_mahalanobis) and callable(_batch_mv) and callable(_standard_normal)
    assert callable(_sum_rightmost) and abs(euler_constant - np.euler_gamma) < 1e-15
    for name in ("nothing", "Nothing", "_nothing"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(sg.distributions, name)
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(f"specgrad.distributions.{name}")


class Shifted(Parametric):
    """A distribution that declares its parameters, one with a value that it may be left out for."""

    loc = parameter(constraints.real)
    scale = parameter(constraints.positive, 1.0)


def test_declared_parameters() -> None:
    """They give the constructor, the constraints and `expand`; the class itself has none of them."""
    signature = "(loc: Any, scale: Any = 1.0, validate_args: bool | None = None) -> None"
    assert str(inspect.signature(Shifted)) == signature and not hasattr(Shifted, "loc")
    assert Shifted.arg_constraints == {"loc": constraints.real, "scale": constraints.positive}
    made = Shifted(sg.zeros(3, 1), sg.ones(2))
    assert (
        made.batch_shape == (3, 2) and repr(made) == "Shifted(loc: specgrad.Size([3, 2]), scale: specgrad.Size([3, 2]))"
    )
    assert made.expand((4, 3, 2)).scale.shape == (4, 3, 2)
    with pytest.raises(TypeError, match=r"Shifted\.__init__\(\) missing 1 required positional argument: 'loc'"):
        Shifted()
    with pytest.raises(ValueError, match="parameter scale"):
        Shifted(0.0, -1.0)


def test_aliases() -> None:
    """They say what the base class says, or what they are given, and cannot be set."""
    assert inspect.getdoc(distributions.Normal.mean) == inspect.getdoc(distributions.Distribution.mean)
    assert distributions.LogNormal.loc.__doc__ == "The mean of the logarithm."
    with pytest.raises(AttributeError):
        distributions.Normal(0.0, 1.0).mean = 2.0
