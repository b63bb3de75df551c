"""Element-wise ops in machine code: operands are made ready, a kernel runs over them, and its result is recorded."""
