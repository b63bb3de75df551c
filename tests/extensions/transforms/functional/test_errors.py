"""autograd.functional: what strict mode forbids, and arguments that do not fit, with PyTorch's words."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

X = sg.tensor([1.0, 2.0], dtype=sg.float64)
ONES = sg.ones(2, dtype=sg.float64)
ONE = sg.ones((), dtype=sg.float64)
NO_GRAD = "Output {} of the user-provided function does not require gradients. The outputs must be computed in a"
LINEAR = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode."
)
OUTPUT = "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
CREATE = (
    "The {} of the user-provided function is independent of input {}. This is not allowed in strict mode when create_"
)


def total(*xs: Any) -> Any:
    """The sum of the cubes."""
    return sum(((x**3).sum() for x in xs), sg.zeros(()))


def constant(*xs: Any) -> Any:
    """Depends on nothing."""
    return sg.ones(())


STRICT: dict[str, tuple[Any, str]] = {
    "jacobian of a constant": (lambda s: jacobian(constant, X, strict=s), NO_GRAD.format(0)),
    "jacobian of a part": (lambda s: jacobian(lambda a, b: (a, b.detach()), (X, X), strict=s), NO_GRAD.format(1)),
    "jacobian without an input": (
        lambda s: jacobian(lambda a, b: (a + b, a * 2), (X, X), strict=s),
        "Output 1 of the user-provided function is independent of input 1. This is not allowed in strict mode.",
    ),
    "jacobian that is constant": (
        lambda s: jacobian(lambda a: a * 2, X, strict=s, create_graph=True),
        CREATE.format("jacobian", 0),
    ),
    "hessian of a constant": (lambda s: hessian(constant, X, strict=s), NO_GRAD.format(0)),
    "hessian of a linear function": (lambda s: hessian(lambda a: a.sum(), X, strict=s), LINEAR.format(0)),
    "hessian that is linear in one": (
        lambda s: hessian(lambda a, b: total(a) + b.sum(), (X, X), strict=s),
        LINEAR.format(1),
    ),
    "hessian without cross terms": (
        lambda s: hessian(total, (X, X), strict=s),
        "Output 0 of the user-provided function is independent of input 1. This is not allowed in strict mode.",
    ),
    "hessian that is constant": (
        lambda s: hessian(lambda a: (a * a).sum(), X, strict=s, create_graph=True),
        CREATE.format("jacobian", 0),
    ),
    "vjp of a constant": (lambda s: vjp(constant, X, strict=s), NO_GRAD.format(0)),
    "vjp without an input": (lambda s: vjp(lambda a, b: total(a), (X, X), strict=s), OUTPUT.format(1)),
    "vjp that is constant": (
        lambda s: vjp(lambda a: a.sum(), X, strict=s, create_graph=True),
        CREATE.format("jacobian", 0),
    ),
    "jvp of a constant": (lambda s: jvp(constant, X, ONES, strict=s), NO_GRAD.format(0)),
    "jvp without an input": (lambda s: jvp(lambda a, b: a * a, (X, X), (ONES, ONES), strict=s), OUTPUT.format(1)),
    "jvp that is constant": (
        lambda s: jvp(lambda a: (a * a, a * 2), X, ONES, strict=s, create_graph=True),
        CREATE.format("jacobian", 1),
    ),
}
for product in (vhp, hvp):
    name = product.__name__

    def seeded(func: Any, points: Any, product: Any = product, **options: Any) -> Any:
        """A product with ones."""
        v = (ONES,) * len(points) if isinstance(points, tuple) else ONES
        return lambda s: product(func, points, v, strict=s, **options)

    STRICT[f"{name} of a constant"] = seeded(constant, X), NO_GRAD.format(0)
    STRICT[f"{name} without an input"] = seeded(lambda a, b: total(a), (X, X)), OUTPUT.format(1)
    STRICT[f"{name} of a linear function"] = seeded(lambda a: a.sum(), X), LINEAR.format(0)
    STRICT[f"{name} that is linear in one"] = seeded(lambda a, b: total(a) + b.sum(), (X, X)), LINEAR.format(1)
    STRICT[f"{name} that is constant"] = (
        seeded(lambda a: (a * a).sum(), X, create_graph=True),
        CREATE.format("hessian", 0),
    )


@pytest.mark.parametrize("name", STRICT)
def test_strict_forbids_what_else_gives_zeros(name: str) -> None:
    """With strict=False the same call returns."""
    call, message = STRICT[name]
    with pytest.raises(RuntimeError, match=message.replace("(", r"\(")):
        call(True)
    call(False)


def test_strict_passes_what_depends() -> None:
    """Functions that depend on all inputs, twice where that is asked for, and three times with create_graph."""

    def coupled(a: Any, b: Any) -> Any:
        return ((a + b) ** 3).sum()

    jacobian(lambda a: a * 2, X, strict=True)
    hessian(coupled, (X, X), strict=True, create_graph=True)
    vjp(lambda a: a * 2, X, ONES, strict=True)
    jvp(lambda a: a * 2, X, ONES, strict=True)
    for function in (vhp, hvp):
        function(lambda a: (a * a).sum(), X, ONES, strict=True)
        function(coupled, (X, X), (ONES, ONES), strict=True, create_graph=True)


ALL = {
    "jacobian": lambda f, x, v=None: jacobian(f, x),
    "hessian": lambda f, x, v=None: hessian(f, x),
    "vjp": vjp,
    "jvp": jvp,
    "vhp": vhp,
    "hvp": hvp,
}
every_function = pytest.mark.parametrize("name", ALL)


@every_function
def test_inputs_and_outputs_are_tensors_or_tuples(name: str) -> None:
    """Lists and numbers are refused, with the place where they are."""
    start = "The inputs given to {} must be either a Tensor or a tuple of Tensors but {}"
    for inputs, found in (
        ([X], "the given inputs has type <class 'list'>"),
        (3.0, "the given inputs has type <class 'float'>"),
        ((X, 3.0), "the value at index 1 has type <class 'float'>"),
    ):
        with pytest.raises(TypeError, match=start.format(name, found)):
            ALL[name](total, inputs, ONES)
    what = (
        f"The outputs of the user-provided function given to {name} must be either a Tensor or a tuple of Tensors but"
    )
    with pytest.raises(
        TypeError, match=f"{what} the given outputs of the user-provided function has type <class 'list'>"
    ):
        ALL[name](lambda a: [a], X, ONES)
    with pytest.raises(TypeError, match=f"{what} the value at index 1 has type <class 'int'>"):
        ALL[name](lambda a: (a, 3), X, ONES)


@every_function
def test_inputs_must_be_differentiable(name: str) -> None:
    """Integers cannot require gradients."""
    with pytest.raises(RuntimeError, match="only Tensors of floating point .*dtype can require gradients"):
        ALL[name](total, sg.tensor([1, 2]), ONES)


@pytest.mark.parametrize("name", ["hessian", "vhp", "hvp"])
def test_second_derivatives_are_of_one_number(name: str) -> None:
    """One tensor, of one element."""
    with pytest.raises(RuntimeError, match=f"The function given to {name} should return a single Tensor"):
        ALL[name](lambda a: (a.sum(),), X, ONES)
    with pytest.raises(
        RuntimeError, match=f"The Tensor returned by the function given to {name} should contain a single"
    ):
        ALL[name](lambda a: a * 2, X, ONES)


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_v_has_the_structure_of_its_side(name: str) -> None:
    """A tensor or a tuple of tensors, as many and of the same shapes."""
    func, pair = (sg.sin, lambda a, b: (a, b)) if name in ("vjp", "jvp") else (total, total)
    with pytest.raises(TypeError, match=f"The v given to {name} must be either a Tensor or a tuple of Tensors"):
        ALL[name](func, X, [ONES])
    with pytest.raises(RuntimeError, match=r"v has invalid size: should be .*\[2\]\) but got .*\[3\]\)"):
        ALL[name](func, X, sg.ones(3))
    with pytest.raises(RuntimeError, match="The given v should contain a single Tensor"):
        ALL[name](func, X, (ONES, ONES))
    with pytest.raises(RuntimeError, match="v is a tuple of invalid length: should be 2 but got 1"):
        ALL[name](pair, (X, X), ONES)
    with pytest.raises(RuntimeError, match=r"Entry 1 in v has invalid size: should be .*\[2\]\) but got .*\[\]\)"):
        ALL[name](pair, (X, X), (ONES, ONE))


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_v_must_be_given_where_there_are_several_elements(name: str) -> None:
    """vjp looks at the output, the others at the input."""
    source = "the user-provided function returns" if name == "vjp" else "the input to the user-provided function is"
    message = f"The vector v can only be None if {source} a single Tensor with a single element"
    with pytest.raises(RuntimeError, match=message):
        ALL[name](sg.sin if name == "vjp" else total, X)
    with pytest.raises(RuntimeError, match=message):
        ALL[name](lambda a, b: (a, b) if name == "vjp" else a * b, (ONE, ONE))


def test_options_that_exclude_each_other() -> None:
    """strict with vectorize; forward mode without vectorize, with strict or with create_graph; unknown words."""
    forward: Any = {"vectorize": True, "strategy": "forward-mode"}
    with pytest.raises(RuntimeError, match="`strict=True` and `vectorize=True` are not supported together"):
        jacobian(sg.sin, X, strict=True, vectorize=True)
    with pytest.raises(RuntimeError, match='`strict=True` and `strategy="forward-mode"` are not supported together'):
        jacobian(sg.sin, X, strict=True, **forward)
    with pytest.raises(
        NotImplementedError, match='`create_graph=True` and `strategy="forward-mode"` are not supported'
    ):
        jacobian(sg.sin, X, create_graph=True, **forward)
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        jacobian(sg.sin, X, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        hessian(total, X, outer_jacobian_strategy="forward-mode")
    with pytest.raises(AssertionError, match='Expected strategy to be either "forward-mode" or "reverse-mode". Hint'):
        jacobian(sg.sin, X, strategy="sideways")
    with pytest.raises(AssertionError, match='Expected strategy to be either "forward-mode" or "reverse-mode"'):
        hessian(total, X, outer_jacobian_strategy="sideways")


@every_function
def test_inputs_may_not_be_changed(name: str) -> None:
    """The function gets leaves that require grad: writing to them is refused, to copies of them is not."""
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"):
        ALL[name](lambda a: a.mul_(2).sum(), X, ONE if name == "vjp" else ONES)
    ALL[name](lambda a: a.clone().mul_(a).sum(), X, ONE if name == "vjp" else ONES)
