"""Element-wise ops: operands of any layout through one kernel over flat arrays."""
