"""How long steps would take on other numbers of ranks: a model of communication, its constants, and tables of it."""
