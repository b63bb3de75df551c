"""`__torch_function__`: classes whose objects take the place of tensors in calls of ops, methods and properties."""
