"""Alembic runs migrations within the connection that the server hands over."""

from __future__ import annotations

from alembic import context

from privet.server.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
if connection.in_transaction():
    connection.commit()
