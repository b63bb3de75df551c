"""Element-wise ops: one number of the result for each of the operands, in the spec as scalar expressions."""
