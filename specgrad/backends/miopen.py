"""AMD's MIOpen, which specgrad does not use: its switch is kept."""

from .switches import switching

immediate = False
flags = switching(__name__, immediate=False)

__all__ = ["flags"]
