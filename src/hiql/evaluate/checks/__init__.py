"""Can a fit be trusted? Refits of drawn sessions, recovery of what was simulated, predictive checks."""
