"""Whether operations are recorded: no_grad, enable_grad, set_grad_enabled and inference_mode, one state per thread.

A tensor's memory has a count of writes, which nodes note when they save the tensor. Inference tensors have `UNTRACKED`,
which cannot be noted, and counts nothing: who saves and who writes finds them where it looks at that count anyway, and
other tensors cost nothing more. Native code reads `inferring` where it makes a tensor."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self

from ..errors import ArgumentError, type_name, warn_user
from ..thread_state import mode
from ..tracebacks import hide_internal_frames

SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `no_grad()` instead of `inference_mode()`."
)
WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a normal "
    "tensor before doing inplace update. See https://github.com/pytorch/rfcs/pull/17 for more details."
)

inferring: list[None] = []  # as many items as threads are in the mode: nearly always empty, which is soon seen


class Inference(list[Any]):
    """`[count, op]`: who reads the count by its number, as nodes that save do, gets the error; others take it apart."""

    def __getitem__(self, position: Any) -> Any:
        if position == 0 and mode.inference is not None:
            raise RuntimeError(SAVED)
        return super().__getitem__(position)


class Uncounted(int):
    """The count of writes where none are counted: it stays the same, and refuses to go up outside the mode."""

    def __add__(self, more: int) -> int:
        if not mode.inference:
            raise RuntimeError(WRITTEN)
        return self


UNTRACKED = Inference([Uncounted(), ""])  # of all inference tensors


def switch(state: dict[str, Any], requested: bool | None) -> None:
    before = state["inference"]
    if requested and not before:
        inferring.append(None)
    state["inference"] = requested
    if before and not requested:
        inferring.pop()


def first_writes() -> Inference | None:
    """What a tensor that this thread makes has in the place of a count of writes: None says that there are none yet."""
    return UNTRACKED if mode.inference else None


def is_inference(tensor: Any) -> bool:
    return type(tensor._version_counter) is Inference


def current_version(tensor: Any) -> int:
    """For who does not save the tensor."""
    writes = tensor._version_counter
    if writes is None:
        return 0
    count, _ = writes
    return count


def inference_writes(tensor: Any) -> Inference | None:
    """Of an inference tensor's memory it is one too, which may be written to, and cannot be saved."""
    if not is_inference(tensor):
        return None
    return UNTRACKED if mode.inference else Inference([0, ""])


def check_written(tensor: Any) -> None:
    """Refuse a write to an inference tensor outside the mode, before anything is written."""
    if tensor._version_counter is UNTRACKED and not mode.inference:
        raise RuntimeError(WRITTEN)


CLASSES_ARE_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


class Switch:
    """A context manager that sets the mode, and a decorator; in inference mode nothing is recorded, whatever is set."""

    def __init__(self, grad: bool, inference: bool | None = None) -> None:
        self.grad = grad
        self.inference = inference
        self.previous: list[tuple[bool | None, bool | None]] = []

    def __enter__(self) -> None:
        state = mode.__dict__  # of this thread: found once, as small models spend their time here
        self.previous.append((state["grad"], state["inference"]))
        self.set(state)

    def __exit__(self, *_: object) -> None:
        state = mode.__dict__
        grad, inference = self.previous.pop()
        if state["inference"] is not inference:
            switch(state, inference)
        state["grad"] = grad

    def set(self, state: dict[str, Any]) -> None:
        """Let the setting take effect in the thread that has this state."""
        if self.inference is not None:
            switch(state, self.inference)
        state["grad"] = self.grad and not state["inference"]

    def clone(self) -> "Switch":
        """A fresh switch of the same setting, so that one decorated function can recurse."""
        return Switch(self.grad, self.inference)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warn_user(CLASSES_ARE_DECORATED, FutureWarning)
        if inspect.isgeneratorfunction(function):
            return wrap_generator(self.clone, function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            try:
                with self.clone():
                    return function(*args, **kwargs)
            except Exception as error:
                hide_internal_frames(error)
                raise

        return wrapper


def wrap_generator(switch: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The mode holds while the generator's own code runs, never in the code that consumes it."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(next, generator)
        while True:
            try:
                with switch():
                    value = resume()
            except StopIteration as stop:
                return stop.value
            try:
                resume = functools.partial(generator.send, (yield value))
            except GeneratorExit:
                with switch():
                    generator.close()
                raise
            except BaseException as error:  # thrown in by the consumer: belongs to the generator
                resume = functools.partial(generator.throw, error)

    return wrapper


def _attributes() -> dict[str, Any]:
    return mode.__dict__


def _now() -> tuple[bool | None, bool | None]:
    return mode.grad, mode.inference


class _Optional(Switch):
    """no_grad and enable_grad may decorate without parentheses."""

    _grad = True

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        self = object.__new__(cls)
        if function is None:
            return self
        Switch.__init__(self, cls._grad)
        return self(function)

    def __init__(self) -> None:
        Switch.__init__(self, self._grad)


class no_grad(_Optional):
    """Nothing is recorded inside: results do not require grad.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.no_grad():
        ...     print((x * 2).requires_grad)
        False
    """

    _grad = False


class enable_grad(_Optional):
    """Operations are recorded inside, also within `no_grad`.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.no_grad(), sg.enable_grad():
        ...     print((x * 2).requires_grad)
        True
    """

    _grad = True


class set_grad_enabled(Switch):
    """Recording on or off: takes effect at once, and as a context manager it is undone at the end.

    Args:
        mode: whether operations are recorded.

    Raises:
        TypeError: `mode` is not a bool.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, requires_grad=True)
        >>> with sg.set_grad_enabled(False):
        ...     print((x * 2).requires_grad)
        False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise ArgumentError(f"set_grad_enabled(): argument 'mode' must be bool, not {type_name(mode)}")
        super().__init__(mode)
        self.mode = mode
        self._at_once = _now()
        self.set(_attributes())

    def __enter__(self) -> None:
        self.previous.append(self._at_once)
        self.set(mode.__dict__)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        mode.grad = self._at_once[0]
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"specgrad.autograd.grad_mode.set_grad_enabled(mode={self.grad})"


class inference_mode(Switch):
    """Like no_grad, also for `enable_grad` within; and new tensors are inference tensors, whose writes are not counted.

    These may be used outside, but not saved for a backward pass, written to in place, or made to require grad: a clone
    that is made there may. Views of other tensors are views of these as ever, and writes to them are counted.

    Args:
        mode: False makes the block an ordinary one, in which operations are recorded.

    Example:
        >>> import specgrad as sg
        >>> with sg.inference_mode():
        ...     x = sg.ones(2)
        >>> x.is_inference(), (x + 1).is_inference(), x.clone().is_inference()
        (True, False, False)
        >>> x.add_(1)
        Traceback (most recent call last):
            ...
        RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed. ...
    """

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        Switch.__init__(self, False, True)
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(grad=not mode, inference=mode)
        self.mode = mode


def is_grad_enabled() -> bool:
    """True when operations of this thread are recorded."""
    return bool(mode.grad)


def is_inference_mode_enabled() -> bool:
    """True inside `inference_mode()` in this thread."""
    return bool(mode.inference)


class of_transform(Switch):
    """What the function of a transform computes is recorded, whatever is switched off, and may save inference tensors:
    nobody else sees this graph."""

    def __init__(self) -> None:
        super().__init__(True)

    def set(self, state: dict[str, Any]) -> None:
        switch(state, None)
        state["grad"] = True


class DecoratorContextManager:
    """A class with `__enter__` and `__exit__` whose objects decorate functions, each call in a region of its own.

    Example:
        >>> class Announced(DecoratorContextManager):
        ...     def __enter__(self):
        ...         print("begin")
        ...     def __exit__(self, *error):
        ...         print("end")
        >>> @Announced()
        ... def double(x):
        ...     return 2 * x
        >>> double(2)
        begin
        end
        4
    """

    def clone(self) -> Self:
        """A fresh object for one call; a class with arguments overrides it."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *error: Any) -> Any:
        raise NotImplementedError

    def __call__(self, orig_func: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(orig_func):
            warn_user(CLASSES_ARE_DECORATED, FutureWarning)
        return context_decorator(self.clone, functools.partial(orig_func) if inspect.isclass(orig_func) else orig_func)


class NoParamDecoratorContextManager(DecoratorContextManager):
    """The same for classes without arguments: `@Region` decorates as `@Region()` does."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        if orig_func is None:
            return made
        made.__init__()  # type: ignore[misc]
        return made(orig_func)


def context_decorator(ctx: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls run in a context, of a generator those parts that are its own.

    Args:
        ctx: a context manager, or what makes one for each call.
        func: the function.

    Raises:
        RuntimeError: `func` is a class and `ctx` a function.
    """
    make = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if inspect.isclass(func):
        raise RuntimeError(
            f"Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have "
            f"the context manager applied; additionally, decorating a class will prevent it from working as a base "
            f"class. To decorate the constructor, decorate {func.__name__}.__init__"
        )
    if inspect.isgeneratorfunction(func):
        return wrap_generator(make, func)

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with make():
            return func(*args, **kwargs)

    return decorated
