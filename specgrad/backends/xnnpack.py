"""XNNPACK, which specgrad does not use."""

enabled = False

__all__ = ["enabled"]
