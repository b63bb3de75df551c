"""New tensors in machine code: `create` makes what the plan of a creation function describes."""
