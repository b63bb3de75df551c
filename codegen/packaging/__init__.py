"""Wheels for one platform, which carry machine code: what is run for it, in which processes, and how it is packed."""
