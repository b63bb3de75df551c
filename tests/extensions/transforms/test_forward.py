"""jvp, linearize, jacfwd and hessian: values are closed forms; the modes agree with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.examples import array, close, close_trees, reals

pytestmark = [
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning"),
]


def mixed(x: Any) -> Any:
    """The sum of sin(x_i) x_j over all i and j."""
    return (x.sin() * x.sum()).sum()


def derivative(x: np.ndarray) -> np.ndarray:
    """Its gradient."""
    return np.cos(x) * x.sum() + np.sin(x).sum()


def curvature(x: np.ndarray) -> np.ndarray:
    """Its Hessian."""
    return np.diag(-np.sin(x) * x.sum()) + np.cos(x)[:, None] + np.cos(x)[None]


def test_jvp(lib: Any) -> None:
    """The output and J t, of several arguments and of trees."""
    x, y, u, v = (reals(lib, 3, seed=seed) for seed in range(4))
    output, tangent = lib.func.jvp(lambda x, y: {"product": x * y, "x": [x]}, (x, y), (u, v))
    close_trees(output, {"product": x * y, "x": [x]})
    close_trees(tangent, {"product": u * y + x * v, "x": [u]})
    output, tangent, aux = lib.func.jvp(lambda d: (d["a"] ** 2, d["a"] + 1), ({"a": x},), ({"a": u},), has_aux=True)
    close(tangent, 2 * x * u)
    close(aux, x + 1)


def test_what_does_not_depend(lib: Any) -> None:
    """Outputs without a part of the primals have tangents of zeros; whole numbers too, of their dtype."""
    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    found = lib.func.jvp(lambda x: (lib.ones(2), x.detach() * x, (x * 2).long(), x.argmax()), (x,), (v,))[1]
    close(found[0], np.zeros(2))
    close(found[1], x * v)
    close(found[2], np.zeros(3))
    assert found[2].dtype == found[3].dtype == lib.int64


def test_functions_that_write(lib: Any) -> None:
    """In-place ops change tangents as they change values, through views too."""

    def written(x: Any) -> Any:
        y = x * 1
        y.mul_(x)
        y[0] = 2.0
        y[1:].add_(x[1])
        return y

    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    a, b = array(x), array(v)
    output, tangent = lib.func.jvp(written, (x,), (v,))
    close(output, [2.0, a[1] ** 2 + a[1], a[2] ** 2 + a[1]])
    close(tangent, [0.0, 2 * a[1] * b[1] + b[1], 2 * a[2] * b[2] + b[1]])


def test_modes(lib: Any) -> None:
    """no_grad does not switch forward mode off; complex and half numbers have tangents of their dtype."""
    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    with lib.no_grad():
        close(lib.func.jvp(lib.sin, (x,), (v,))[1], x.cos() * v)
    output, tangent = lib.func.jvp(lambda z: z * z, (lib.tensor([1 + 2j]),), (lib.tensor([1j]),))
    close(tangent.to(lib.complex128), np.array([-4 + 2j]))
    output, tangent = lib.func.jvp(lambda x: x * 2, (x.half(),), (v.half(),))
    assert output.dtype == tangent.dtype == lib.float16


def test_linearize(lib: Any) -> None:
    """The output, and t -> J t as often as one likes, for tangents of the primals' structure."""
    x, y, u, v = (reals(lib, 3, seed=seed) for seed in range(4))
    calls = []

    def function(x: Any, d: Any) -> Any:
        calls.append(x)
        return {"product": x * d["y"], "norm": (x * x).sum()}

    output, push = lib.func.linearize(function, x, {"y": y})
    count = len(calls)
    close_trees(output, {"product": x * y, "norm": (x * x).sum()})
    for first, second in ((u, v), (v, x)):
        found = push(first, {"y": second})
        close_trees(found, {"product": first * y + x * second, "norm": 2 * (x * first).sum()})
    assert len(calls) == count
    close(lib.vmap(lib.func.linearize(lib.sin, x)[1])(lib.eye(3).double()), lib.diag(x.cos()))


@pytest.mark.parametrize("mode", ["jacfwd", "jacrev"])
def test_jacobians(lib: Any, mode: str) -> None:
    """Both modes give the same, for functions of several arguments and trees, of any shape."""
    transform = getattr(lib.func, mode)
    a, b = reals(lib, 2, 3), reals(lib, 3, 2, seed=1)
    found = transform(lambda a, b: a @ b, argnums=(0, 1))(a, b)
    close(found[0], np.einsum("ik,lj->ijkl", np.eye(2), array(b)))
    close(found[1], np.einsum("ik,jl->ijkl", array(a), np.eye(2)))
    x, y = a[0], b[:, 0]
    found, aux = transform(lambda d: ([d["x"] * d["y"], d["x"].sum()], {"rest": (d["x"],)}), has_aux=True)(
        {"x": x, "y": y}
    )
    ones, zeros = lib.ones(3).double(), lib.zeros(3).double()
    close_trees(found, [{"x": lib.diag(y), "y": lib.diag(x)}, {"x": ones, "y": zeros}])
    close_trees(aux, {"rest": (x,)})
    close(transform(lib.sin)(x[0]), x[0].cos())
    close(transform(lambda x: lib.ones(2).double())(x), np.zeros((2, 3)))
    assert tuple(transform(lib.sin)(x[:0]).shape) == (0, 0)


MODES = ["jacfwd", "jacrev"]


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("inner", MODES)
def test_second_derivatives(lib: Any, outer: str, inner: str) -> None:
    """Each mode over each gives the Hessian, also of a batch; `hessian` is forward over reverse."""
    x = reals(lib, 4, 3)
    second = getattr(lib.func, outer)(getattr(lib.func, inner)(mixed))
    close(second(x[0]), curvature(array(x)[0]))
    close(lib.vmap(second)(x), np.stack([curvature(row) for row in array(x)]))
    close(lib.func.hessian(mixed)(x[0]), curvature(array(x)[0]))


def test_hessians_of_several_arguments(lib: Any) -> None:
    """One block for each pair of arguments, by their structure; of a function with several outputs one for each."""
    x, y = reals(lib, 2), reals(lib, 2, seed=1)
    blocks = lib.func.hessian(lambda x, y: (x * x * y).sum(), argnums=(0, 1))(x, y)
    close_trees(blocks, ((lib.diag(2 * y), lib.diag(2 * x)), (lib.diag(2 * x), lib.zeros(2, 2).double())))
    tree = lib.func.hessian(lambda d: (d["x"] * d["y"]).sum())({"x": x, "y": y})
    close(tree["x"]["y"], np.eye(2))
    close(tree["x"]["x"], np.zeros((2, 2)))
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 0], expected[1, 1, 1] = 6 * array(x)
    close(lib.func.hessian(lambda x: x**3)(x), expected)


@pytest.mark.parametrize("outer", ["jvp", "vjp"])
@pytest.mark.parametrize("inner", ["grad", "jacfwd"])
def test_hessian_times_vector(lib: Any, outer: str, inner: str) -> None:
    """In all four combinations of modes, without the Hessian; and for a batch of vectors."""
    x, v = reals(lib, 3), reals(lib, 3, seed=1)
    gradient = getattr(lib.func, inner)(mixed)

    def product(v: Any) -> Any:
        if outer == "jvp":
            return lib.func.jvp(gradient, (x,), (v,))[1]
        return lib.func.vjp(gradient, x)[1](v)[0]

    close(gradient(x), derivative(array(x)))
    close(product(v), curvature(array(x)) @ array(v))
    close(lib.vmap(product)(lib.eye(3).double()), curvature(array(x)))
