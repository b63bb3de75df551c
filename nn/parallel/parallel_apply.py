"""Calls of several modules at once, one thread each."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ...runtime.methods.argument_guard import explained
from ...runtime.tensor.grad_mode import is_grad_enabled, set_grad_enabled


@explained
def parallel_apply(
    modules: Sequence[Any],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[Mapping[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """The results of modules for arguments of each, computed at once.

    Args:
        modules: the modules.
        inputs: for each a tuple of arguments, or the only one.
        kwargs_tup: for each its arguments by name.
        devices: where the modules are, which their parameters say as well.

    Raises:
        ValueError: there are not equally many of all.
        Exception: the first error of a module.

    Example:
        >>> sg.nn.parallel.parallel_apply([sg.nn.ReLU(), sg.nn.Identity()], [sg.tensor([-1.0]), sg.tensor([-1.0])])
        [tensor([0.]), tensor([-1.])]
    """
    names = [{}] * len(modules) if kwargs_tup is None else list(kwargs_tup)
    if not len(modules) == len(inputs) == len(names) == len(devices or modules):
        raise ValueError(
            f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}, of arguments by "
            f"name {len(names)} and of devices"
        )
    if len(modules) == 1:
        return [modules[0](*_arguments(inputs[0]), **names[0])]
    results: list[Any] = [None] * len(modules)
    errors: dict[int, BaseException] = {}
    recording = is_grad_enabled()

    def run(number: int) -> None:
        try:
            with set_grad_enabled(recording):
                results[number] = modules[number](*_arguments(inputs[number]), **names[number])
        except BaseException as error:
            errors[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(modules))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return results


def _arguments(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)
