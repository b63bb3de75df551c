"""The order of products in `einsum`: specgrad finds it itself, the package `opt_einsum` is not asked."""

from ..runtime.settings import unavailable as is_available

enabled = False
strategy: str | None = None

__all__ = ["get_opt_einsum", "is_available"]


def get_opt_einsum() -> None:
    """The package that is asked: none."""
    return None
