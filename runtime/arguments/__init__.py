"""Clear errors for wrong arguments of functions written by hand, found where a call has failed.

Generated functions check their arguments before anything else. Those written by hand say in their annotations what they
take, and a call that succeeds pays nothing for that: only when a call fails where nobody raised an error on purpose are
its arguments compared with the annotations (`fitting.py`), and the error says which one does not fit (`explain.py`).
"""

from .guard import asking, explained, guard, guard_module, guards, leave

__all__ = ["asking", "explained", "guard", "guard_module", "guards", "leave"]
