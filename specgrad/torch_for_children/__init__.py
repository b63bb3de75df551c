"""A folder for PYTHONPATH: processes that a program starts find `torch` here."""
