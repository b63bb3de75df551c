"""Trees of containers whose classes are registered: what `utils._pytree` offers. Transforms use `runtime.pytree`."""
