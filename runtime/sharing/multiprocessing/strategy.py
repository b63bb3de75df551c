"""How memory is shared between processes: by one means, whatever it is called."""

from __future__ import annotations

_STRATEGIES = ("file_descriptor", "file_system")
_chosen = [_STRATEGIES[0]]


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The name that was given last; "file_descriptor" before."""
    return _chosen[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Say how memory is shared: by descriptors of files without names, in any case.

    Programs choose "file_system" where the system lets a process have few descriptors. Here that raises the limit, as
    far as the process may do so itself.

    Args:
        new_strategy: "file_descriptor" or "file_system".

    Raises:
        AssertionError: another name.

    Example:
        >>> import specgrad.multiprocessing as mp
        >>> mp.set_sharing_strategy("file_descriptor")
        >>> mp.get_sharing_strategy()
        'file_descriptor'
    """
    assert new_strategy in _STRATEGIES, (
        f"set_sharing_strategy(): expected one of {_STRATEGIES}, but got {new_strategy!r}"
    )
    if new_strategy == "file_system":
        import resource  # only here: Windows has none, and shares no memory

        _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    _chosen[0] = new_strategy
