"""Public functions that are no entries of the spec, and what composites of several tensors are planned by."""
