"""What a tensor is: memory, shape, strides, dtype, device; and views of it."""
