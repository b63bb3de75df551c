"""Programs written for PyTorch, run as they are: `specgrad.as_torch()`, or from the command line.

python -m specgrad.as_torch train.py [ARG ...]   a script
python -m specgrad.as_torch -m pytest tests      a module

The code: specgrad.runtime.extensions.torch_compat. The name is a module's and a function's, and is called as the
function.
"""

import sys
from types import ModuleType

from .runtime.extensions.torch_compat.as_torch import StandIn, as_torch, main

__all__ = ["StandIn", "as_torch", "main"]


class _Callable(ModuleType):
    def __call__(self, *, children: bool = False) -> StandIn:
        return as_torch(children=children)


sys.modules[__name__].__class__ = _Callable

if __name__ == "__main__":
    sys.exit(main())
