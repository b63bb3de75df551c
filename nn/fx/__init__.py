"""Programs as graphs: traced with proxies, changed node by node, and run as modules again."""
