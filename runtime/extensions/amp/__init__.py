"""Mixed precision: autocast, which casts the operands of the ops whose entries say so, and the scaling of losses."""
