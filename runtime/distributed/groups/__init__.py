"""Process groups: calls of collectives under way, who waits for what, and how numbers are joined. Arrays alone."""
