"""Experiments, and the runs that measure their private cells."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("user", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("tables", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.CheckConstraint("state IN ('running', 'paused', 'done', 'failed')", name="known_experiment_state"),
        sa.ForeignKeyConstraint(["dataset"], ["datasets.id"]),
        sa.ForeignKeyConstraint(["user"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_experiments_dataset"), "experiments", ["dataset"], unique=False)
    op.create_table(
        "experiment_runs",
        sa.Column("experiment", sa.String(length=80), nullable=False),
        sa.Column("cell", sa.String(length=24), nullable=False),
        sa.Column("run", sa.String(length=80), nullable=False),
        sa.ForeignKeyConstraint(["experiment"], ["experiments.id"]),
        sa.ForeignKeyConstraint(["run"], ["runs.id"]),
        sa.PrimaryKeyConstraint("experiment", "run"),
    )
