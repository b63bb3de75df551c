"""What is said of a name that is not there: whether another was meant, and what PyTorch has and specgrad has not."""

import sys
from collections.abc import Iterable

_LONGEST_DIFFERENCE = 8  # letters: `kernel` is meant as `kernel_size`
_LIKENESS = 0.7  # as difflib computes it


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`. Did you mean 'x'?`, or nothing. Names that begin with an underscore are asked for by programs."""
    if not isinstance(name, str) or name.startswith("_"):
        return ""
    from difflib import get_close_matches  # only programs that fail need it

    near = [other for other in names if abs(len(other) - len(name)) <= _LONGEST_DIFFERENCE and other[:1] != "_"]
    lower = {other.lower(): other for other in reversed(near)}
    found = get_close_matches(name.lower(), lower, n=1, cutoff=_LIKENESS)
    return f". Did you mean {lower[found[0]]!r}?" if found else ""


def not_available(name: str, why: str) -> str:
    """The sentence about a name of PyTorch's, which begins with that of its module."""
    return f"specgrad has no {name}: {why}"


def no_attribute(module: str, name: str) -> AttributeError:
    """For the `__getattr__` of a module."""
    return AttributeError(f"module {module!r} has no attribute {name!r}{did_you_mean(name, dir(sys.modules[module]))}")
