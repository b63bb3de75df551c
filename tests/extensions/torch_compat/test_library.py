"""`library` and `ops`: ops of a program's own, and specgrad's by the names of PyTorch's dispatcher."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

COUNT = iter(range(1000))


def named(lib: Any) -> str:
    """A name that no other test has."""
    return f"tests::op{next(COUNT)}"


def test_a_function_as_an_op(lib: Any) -> None:
    """The function is called; its gradient is what was registered, with what was saved."""
    torch = lib
    name = named(lib)

    def cube(x: torch.Tensor, scale: float) -> torch.Tensor:  # type: ignore[name-defined]
        return lib.tensor(x.detach().numpy() ** 3 * scale)

    op = lib.library.custom_op(name, cube, mutates_args=())

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.scale = inputs[1]

    op.register_autograd(
        lambda ctx, grad: (grad * 3 * ctx.saved_tensors[0] ** 2 * ctx.scale, None), setup_context=setup
    )
    x = lib.tensor([1.0, -2.0, 0.5], requires_grad=True)
    y = op(x, 2.0)
    y.backward(lib.tensor([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(y.detach().numpy(), [2.0, -16.0, 0.25])
    np.testing.assert_allclose(x.grad.numpy(), [6.0, 48.0, 4.5])
    by_name = getattr(lib.ops.tests, name.partition("::")[2])
    assert by_name(x, 1.0).tolist() == by_name.default(x, 1.0).tolist() == [1.0, -8.0, 0.125]


def test_without_a_gradient() -> None:
    """What nothing was registered for is recorded as what it computes."""
    op = sg.library.custom_op(named(sg), lambda x: x * x, mutates_args=())
    x = sg.tensor(3.0, requires_grad=True)
    op(x).backward()
    assert x.grad.item() == 6.0


def test_lists_and_names() -> None:
    """Tensors in lists have gradients, arguments may be given by name, results may be several."""

    @sg.library.custom_op(named(sg), mutates_args=())
    def parts(xs: Any, factor: float = 2.0) -> Any:
        return xs[0] * factor, xs[1] * factor

    parts.register_autograd(lambda ctx, a, b: ([a * 10, b * 100], None))
    x, y = (sg.tensor(float(n), requires_grad=True) for n in (1, 2))
    first, second = parts([x, y], factor=3.0)
    (first + second).backward()
    assert (first.item(), second.item(), x.grad.item(), y.grad.item()) == (3.0, 6.0, 10.0, 100.0)


def test_vmap() -> None:
    """A rule for batches is asked with the whole batch."""
    op = sg.library.custom_op(named(sg), lambda x: x.sum(), mutates_args=())
    op.register_vmap(lambda info, dims, x: (x.movedim(dims[0], 0).flatten(1).sum(1), 0))
    assert sg.vmap(op)(sg.ones(3, 2)).tolist() == [2.0, 2.0, 2.0]


def test_libraries(lib: Any) -> None:
    """A Library defines ops and gives them functions."""
    namespace = f"own{next(COUNT)}"
    library = lib.library.Library(namespace, "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: lib.tensor(2 * x.numpy()), "CPU")
    assert getattr(lib.ops, namespace).twice(lib.tensor([1.0])).tolist() == [2.0]
    with pytest.raises(ValueError, match="kind"):
        lib.library.Library(namespace, "OTHER")


def test_functions_by_the_names_of_the_dispatcher(lib: Any) -> None:
    """`ops.aten` has specgrad's functions, one object for each."""
    aten = lib.ops.aten
    assert aten.mm.default(lib.ones(1, 2), lib.ones(2, 1)).item() == 2.0
    assert aten.mm.default is aten.mm.default and aten.add.Tensor(lib.ones(1), lib.ones(1)).item() == 2.0
    assert len({aten.mm.default, aten.mm.default, aten.add.Tensor}) == 2
    with pytest.raises(AttributeError):
        _ = aten.no_such_function
    with pytest.raises(AttributeError):
        _ = lib.ops.no_such_namespace.function


def test_refusals() -> None:
    """Names without a namespace, ops that there are not, and libraries of machine code are refused."""
    with pytest.raises(ValueError, match="namespace::name"):
        sg.library.custom_op("name", abs, mutates_args=())
    with pytest.raises(RuntimeError, match="no op"):
        sg.library.register_vmap("tests::missing", abs)
    with pytest.raises(OSError, match=r"lib\.so"):
        sg.ops.load_library("lib.so")
    name = named(sg)
    sg.library.define(name, "(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="already"):
        sg.library.define(name, "(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match="no function"):
        getattr(sg.ops.tests, name.partition("::")[2])(sg.ones(1))


def test_parts_of_pytorchs_own_ops() -> None:
    """Methods are ops of `aten` as functions are; what is private there can be listed, and not called."""
    x = sg.ones(2, requires_grad=True)
    assert not sg.ops.aten.detach.default(x).requires_grad
    table = {sg.ops.aten._pin_memory.default: 1}
    assert table[sg.ops.aten._pin_memory.default] == 1
    with pytest.raises(NotImplementedError, match="_pin_memory"):
        sg.ops.aten._pin_memory(x)
    with pytest.raises(AttributeError):
        _ = sg.ops.aten.no_such_op


def test_what_compilers_would_follow() -> None:
    """Nothing is compiled or traced below functions; transforms say that they are running."""
    from specgrad._dynamo.exc import Unsupported
    from specgrad._dynamo.utils import is_compile_supported
    from specgrad._subclasses.fake_tensor import is_fake
    from specgrad.fx.experimental.proxy_tensor import get_proxy_mode

    assert issubclass(Unsupported, RuntimeError) and not is_compile_supported("cpu")
    assert not is_fake(sg.ones(1)) and get_proxy_mode() is None
    seen = []

    def square(x: Any) -> Any:
        seen.append(sg._C._are_functorch_transforms_active())
        return x * x

    sg.vmap(square)(sg.ones(3))
    assert seen == [True] and not sg._C._are_functorch_transforms_active()
