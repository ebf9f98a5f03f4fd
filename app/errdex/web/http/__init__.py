"""HTTP itself: protocol, middleware, headers, errors, limits."""
