"""Whether `use_deterministic_algorithms` fills memory that is not initialized: kept, as no kernel reads such memory."""

fill_uninitialized_memory: bool = True

__all__ = ["fill_uninitialized_memory"]
