"""What flows have released, step by step, and the keys of their splits."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "flow_steps",
        sa.Column("run", sa.String(length=80), nullable=False),
        sa.Column("identity", sa.String(length=64), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["dataset"], ["datasets.id"]),
        sa.ForeignKeyConstraint(["run"], ["runs.id"]),
        sa.PrimaryKeyConstraint("run", "identity"),
    )
    op.create_index("kept_steps", "flow_steps", ["dataset", "version", "identity"])
    op.create_table(
        "flow_keys",
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["dataset"], ["datasets.id"]),
        sa.PrimaryKeyConstraint("dataset", "name"),
    )
