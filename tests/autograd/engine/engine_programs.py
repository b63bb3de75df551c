"""Small programs about the engine, each a function of the library: run with specgrad and with PyTorch by their test."""

from typing import Any


def leaf(t: Any, *values: float) -> Any:
    """A float64 vector that requires grad."""
    return t.tensor(values, dtype=t.float64, requires_grad=True)


def nothing(t: Any) -> Any:
    """A Function whose gradient is None."""

    class Nothing(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return None

    return Nothing.apply


def order_of_everything(t: Any) -> Any:
    """Which hooks run when, in a graph with diamonds."""
    log: list[Any] = []
    x, w = leaf(t, 2.0), leaf(t, 3.0)
    a, b = x * 2, x * w
    c = a + b
    d = c * a
    for name, y in {"x": x, "w": w, "a": a, "b": b, "c": c, "d": d}.items():
        y.register_hook(lambda g, name=name: log.append((name, g.item())))
        if y.grad_fn is None:
            y.register_post_accumulate_grad_hook(lambda p, name=name: log.append((name, "done", p.grad.item())))
        else:
            y.grad_fn.register_prehook(lambda g, name=name: log.append((name, "before")))
            y.grad_fn.register_hook(lambda gi, go, name=name: log.append((name, "after")))
    d.backward()
    return log


def hooks_of_captured(t: Any) -> Any:
    """Hooks of inputs, and of nodes beside the way to them."""
    log: list[Any] = []
    x, w = leaf(t, 2.0), leaf(t, 3.0)
    a, b = x * 2, w * 2
    for name, y in {"x": x, "w": w, "a": a, "b": b}.items():
        y.register_hook(lambda g, name=name: log.append(name))
        y.register_hook(lambda g: g * 10)
    found = [g.tolist() for g in t.autograd.grad(a * a * b, [a, x], retain_graph=True)]
    (a * a * b).backward(inputs=[a])
    return log, found, a.grad.item(), x.grad, w.grad


def none_meets_gradient(t: Any) -> Any:
    """None from one side, a gradient from the other, in both orders."""
    found = []
    for order in (0, 1):
        x = leaf(t, 2.0)
        y = x * 3
        parts = [nothing(t)(y), y * 5]
        (parts[order] + parts[1 - order]).backward()
        found.append(x.grad.item())
    return found


def none_all_the_way(t: Any) -> Any:
    """What hooks see where only None comes."""
    log: list[Any] = []
    x = leaf(t, 2.0)
    y = x.exp()
    y.register_hook(lambda g: log.append(("y", g)))
    x.register_hook(lambda g: log.append(("x", g)))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("done", p.grad)))
    nothing(t)(y).backward()
    try:
        y.backward()
    except RuntimeError as error:
        log.append("second time" in str(error))
    return log


def raising_hook(t: Any) -> Any:
    """What a pass that broke off has done, and whether it can be repeated."""
    x, w = leaf(t, 2.0), leaf(t, 3.0)
    y = x * x
    handle = y.register_hook(lambda g: 1 / 0)
    z = y + w
    found: list[Any] = []
    for retain in (True, False):
        try:
            z.backward(retain_graph=retain)
        except ZeroDivisionError:
            found += [x.grad, w.grad.item(), t.is_grad_enabled()]
    handle.remove()
    z.backward()
    return [*found, x.grad.item(), w.grad.item()]


def strides_of_gradients(t: Any) -> Any:
    """The layout of .grad for leaves of many layouts."""
    leaves = [
        t.zeros(2, 3).t(),
        t.zeros(2, 3, 4).permute(2, 0, 1),
        t.zeros(2, 1, 3).permute(2, 1, 0),
        t.zeros(6)[::2],
        t.zeros(1).expand(3),
        t.zeros(3, 4)[:, 1:3],
    ]
    found = []
    for y in leaves:
        x = y.detach().requires_grad_()
        (x * 2).sum().backward()
        first = x.grad
        (x * 3).backward(t.ones_like(x))
        found.append((x.grad is first, tuple(first.stride()), first.tolist()))
    return found


def user_gradient(t: Any) -> Any:
    """A .grad that was assigned: who sees the sums, and that it may require grad."""
    buffer = t.zeros(4, dtype=t.float64)
    x, y = leaf(t, 1.0, 2.0), leaf(t, 1.0)
    x.grad = buffer[1:3]
    (x * 3).sum().backward()
    y.grad = mine = leaf(t, 1.0)
    (y * 3).backward()
    return buffer.tolist(), mine.item(), y.grad is mine, mine.requires_grad


def retained(t: Any) -> Any:
    """retain_grad over several passes, alone and together with inputs=."""
    x = leaf(t, 2.0)
    y = x * 3
    y.retain_grad()
    z = y * y
    z.backward(retain_graph=True)
    first = y.grad
    z.backward(inputs=[y], retain_graph=True)
    z.backward()
    return first.item(), y.grad.item(), x.grad.item(), y.retains_grad


def modes_of_hooks(t: Any) -> Any:
    """Whether hooks record, in which passes, and what a switch in a hook does to later nodes."""
    log: list[Any] = []
    x = leaf(t, 2.0)
    y = x * x
    y.register_hook(lambda g: log.append(t.is_grad_enabled()))
    y.register_hook(lambda g: t.set_grad_enabled(True) and None)
    with t.no_grad():
        t.autograd.grad(y, x, retain_graph=True)
        log.append(t.is_grad_enabled())
        (g,) = t.autograd.grad(y, x, create_graph=True)
    return log, g.requires_grad


def nested_passes(t: Any) -> Any:
    """A pass over another graph, and over the same, from within a hook."""
    x, w = leaf(t, 2.0), leaf(t, 5.0)
    log: list[Any] = []
    y = x * x
    z = y * y

    def hook(g: Any) -> Any:
        if not log:
            log.append(1)
            z.backward(retain_graph=True)
            with t.enable_grad():
                (w * w).backward()
        return None if w.grad is None else g * w.grad

    y.register_hook(hook)
    z.backward(retain_graph=True)
    return x.grad.item(), w.grad.item()


PROGRAMS: list[Any] = [
    order_of_everything,
    hooks_of_captured,
    none_meets_gradient,
    none_all_the_way,
    raising_hook,
    strides_of_gradients,
    user_gradient,
    retained,
    modes_of_hooks,
    nested_passes,
]
