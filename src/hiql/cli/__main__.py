"""``python -m hiql.cli``."""

from hiql.cli import app

app()
