"""Programs written for PyTorch, run as they are: `specgrad.as_torch()`, or from the command line.

python -m specgrad.as_torch train.py [ARG ...]   a script
python -m specgrad.as_torch -m pytest tests      a module

The code: specgrad.runtime.pytorch.stand_in. The name is a module's and a function's, and is called as the function.
"""

import sys
from types import ModuleType

from .runtime.pytorch.stand_in.active import StandIn, as_torch
from .runtime.pytorch.stand_in.running import main

__all__ = ["StandIn", "as_torch", "main"]


class _Callable(ModuleType):
    def __call__(self, *, children: bool = False) -> StandIn:
        return as_torch(children=children)


sys.modules[__name__].__class__ = _Callable

if __name__ == "__main__":
    sys.exit(main())
