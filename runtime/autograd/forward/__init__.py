"""Forward mode: tangents, and tensors that have them."""
