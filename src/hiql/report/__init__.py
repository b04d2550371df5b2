"""Pages one can open and mail."""
