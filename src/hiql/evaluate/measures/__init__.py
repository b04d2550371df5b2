"""Numbers about intentions and fits: alignment, courses, visits, differences of value, scores."""
