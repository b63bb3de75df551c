"""Pictures of autograd graphs; `specgrad.graph` offers them."""
