"""The name under which programs know the package: what dtypes, sizes and types of tensors say of themselves.

Programs read it: `str(x.dtype) == "torch.float32"`, `x.type() == "torch.FloatTensor"`.
"""

from __future__ import annotations

OWN = __name__.partition(".")[0]


class _Known:
    """The name as it is now; `as_torch` changes it."""

    name = OWN


known = _Known()
