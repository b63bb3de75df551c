"""Where hooks stay: in-place writes, views, AccumulateGrad nodes, captured gradients. So is PyTorch."""

from typing import Any


def leaf(lib: Any, *values: float) -> Any:
    """A float32 vector that requires grad."""
    return lib.tensor(values, requires_grad=True)


def note(log: list[Any], name: str) -> Any:
    """A hook that notes that it ran."""
    return lambda *_: log.append(name)


def test_order_of_all_hooks(lib: Any) -> None:
    """Tensor hooks as registered, retain_grad after them wherever it was called, pre-hooks, post-hooks, the leaf's."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    log: list[str] = []
    y.retain_grad()
    y.grad_fn.register_hook(note(log, "post 1"))
    y.grad_fn.register_prehook(note(log, "pre 1"))
    y.register_hook(note(log, "tensor 1"))
    y.register_hook(lambda g: log.append("tensor 2") or g * 10)
    y.grad_fn.register_prehook(note(log, "pre 2"))
    y.grad_fn.register_hook(note(log, "post 2"))
    x.register_post_accumulate_grad_hook(note(log, "accumulated"))
    x.register_hook(note(log, "leaf"))
    y.sum().backward()
    assert log == ["tensor 1", "tensor 2", "pre 1", "pre 2", "post 1", "post 2", "leaf", "accumulated"]
    assert y.grad.tolist() == [10.0, 10.0] and x.grad.tolist() == [20.0, 20.0]


def test_retained_gradient_is_not_there_for_the_other_hooks(lib: Any) -> None:
    """retain_grad is the last of the tensor's hooks."""
    y = leaf(lib, 1.0) * 2
    seen: list[Any] = []
    y.retain_grad()
    y.register_hook(lambda g: seen.append(y.grad))
    y.grad_fn.register_prehook(lambda go: seen.append(y.grad.item()))
    y.backward()
    assert seen == [None, 1.0]


def test_in_place_write(lib: Any) -> None:
    """Hooks stay with the value that they were registered on; retain_grad goes with the tensor."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    log: list[str] = []
    before = y.register_hook(note(log, "before"))
    y.retain_grad()
    y.grad_fn.register_prehook(note(log, "pre of the first"))
    y.mul_(3)
    y.register_hook(note(log, "after"))
    y.grad_fn.register_prehook(note(log, "pre of the second"))
    y.sum().backward(retain_graph=True)
    assert log == ["after", "pre of the second", "before", "pre of the first"]
    assert y.grad.tolist() == [1.0, 1.0] and x.grad.tolist() == [6.0, 6.0]
    before.remove()
    y.sum().backward()
    assert log[4:] == ["after", "pre of the second", "pre of the first"]


def test_write_through_a_view(lib: Any) -> None:
    """Writing to a view gives base and view new values: hooks from before see the gradients of the old ones."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    v = y[0]
    log: list[Any] = []
    y.register_hook(lambda g: log.append(g.tolist()))
    v.mul_(3)
    (y.sum() + v).backward()
    assert log == [[6.0, 1.0]]
    y = x * 2
    v = y[0]
    v.retain_grad()
    y.retain_grad()
    v.mul_(3)
    y.register_hook(lambda g: log.append(g.tolist()))
    v.register_hook(lambda g: log.append(g.tolist()))
    (y.sum() + v).backward()
    assert log[1:] == [1.0, [2.0, 1.0]]
    assert y.grad.tolist() == [2.0, 1.0] and v.grad.item() == 1.0


def test_hook_of_a_leaf_survives_writes(lib: Any) -> None:
    """A leaf that is written to under no_grad is the same leaf."""
    x, log = leaf(lib, 1.0, 2.0), []
    x.register_hook(note(log, "leaf"))
    with lib.no_grad():
        x.mul_(2)
    (x * x).sum().backward()
    assert log == ["leaf"] and x.grad.tolist() == [4.0, 8.0]


def test_hooks_of_the_accumulating_node(lib: Any) -> None:
    """Around accumulation: the leaf's hooks, the node's pre-hooks, the leaf's later hooks, the node's post-hooks."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    log: list[Any] = []
    node.register_hook(lambda gi, go: log.append(("post", gi, go[0].tolist(), x.grad.tolist())))
    node.register_prehook(lambda go: log.append(("pre", go[0].tolist(), x.grad)) or (go[0] * 3,))
    x.register_post_accumulate_grad_hook(lambda t: log.append(("accumulated", t.grad.tolist())))
    x.register_hook(lambda g: log.append(("leaf", g.tolist())))
    y.sum().backward()
    assert log == [
        ("leaf", [2.0, 2.0]),
        ("pre", [2.0, 2.0], None),
        ("accumulated", [6.0, 6.0]),
        ("post", (), [6.0, 6.0], [6.0, 6.0]),
    ]


def test_hooks_of_the_accumulating_node_see_the_sum(lib: Any) -> None:
    """However often the leaf was used, once for each backward pass."""
    x = leaf(lib, 2.0)
    node = x.expand_as(x).grad_fn.next_functions[0][0]
    log: list[float] = []
    node.register_prehook(lambda go: log.append(go[0].item()))
    (x * 3 + x * 4).sum().backward()
    (x * x).sum().backward()
    assert log == [7.0, 4.0] and x.grad.item() == 11.0


def test_life_of_the_accumulating_node(lib: Any) -> None:
    """Its hooks run as long as somebody holds it, or a graph in which it was looked at; then they are gone."""
    x, log = leaf(lib, 1.0), []
    y = x * 2
    y.grad_fn.next_functions[0][0].register_hook(note(log, "hook"))
    y.backward(retain_graph=True)
    (x * 3).backward()
    assert log == ["hook", "hook"]
    node = y.grad_fn.next_functions[0][0]
    assert node is (x * 5).grad_fn.next_functions[0][0]
    del y
    (x * 2).backward()
    assert log == ["hook"] * 3
    del node
    (x * 2).backward()
    assert log == ["hook"] * 3


def test_captured_gradient(lib: Any) -> None:
    """autograd.grad of an intermediate gives what its tensor hooks made of it; the node and its hooks do not run."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    z = (y * 3).sum()
    log: list[str] = []
    y.retain_grad()
    y.register_hook(lambda g: log.append("tensor") or g * 10)
    y.grad_fn.register_prehook(note(log, "pre"))
    y.grad_fn.register_hook(note(log, "post"))
    (found,) = lib.autograd.grad(z, y, retain_graph=True)
    assert found.tolist() == [30.0, 30.0] and y.grad.tolist() == [30.0, 30.0] and log == ["tensor"]


def test_captured_on_the_way(lib: Any) -> None:
    """Where older gradients are asked for too, the intermediate's is taken before its hooks, which then all run."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    z = (y * 3).sum()
    log: list[str] = []
    y.register_hook(lambda g: log.append("tensor") or g * 10)
    y.grad_fn.register_prehook(lambda go: log.append("pre") or (go[0] * 100,))
    y.grad_fn.register_hook(note(log, "post"))
    x.register_hook(note(log, "leaf"))
    x.register_post_accumulate_grad_hook(note(log, "accumulated"))
    of_y, of_x = lib.autograd.grad(z, (y, x))
    assert of_y.tolist() == [3.0, 3.0] and of_x.tolist() == [6000.0, 6000.0]
    assert log == ["tensor", "pre", "post", "leaf"]


def test_inputs_of_backward(lib: Any) -> None:
    """backward(inputs=) retains the gradient of an intermediate, whose node runs with all its hooks."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    z = (y * 3).sum()
    log: list[str] = []
    y.register_hook(lambda g: log.append("tensor") or g * 10)
    y.grad_fn.register_prehook(note(log, "pre"))
    y.grad_fn.register_hook(note(log, "post"))
    x.register_hook(lambda g: log.append("leaf") or g * 7)
    x.register_post_accumulate_grad_hook(note(log, "accumulated"))
    z.backward(inputs=[y], retain_graph=True)
    assert log == ["tensor", "pre", "post"] and y.retains_grad
    assert y.grad.tolist() == [30.0, 30.0] and x.grad is None
    log.clear()
    z.backward(inputs=[x], retain_graph=True)
    assert log == ["tensor", "pre", "post", "leaf", "accumulated"]
    assert y.grad.tolist() == [60.0, 60.0] and x.grad.tolist() == [420.0, 420.0]


def test_leaf_hooks_for_autograd_grad(lib: Any) -> None:
    """autograd.grad runs a leaf's own hooks, and none that belong to accumulation."""
    x, log = leaf(lib, 1.0), []
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(note(log, "pre"))
    node.register_hook(note(log, "post"))
    x.register_post_accumulate_grad_hook(note(log, "accumulated"))
    x.register_hook(lambda g: log.append("leaf") or g * 5)
    assert lib.autograd.grad(y, x)[0].item() == 10.0
    assert log == ["leaf"] and x.grad is None
