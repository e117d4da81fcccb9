"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("moment", sa.String(length=40), nullable=False),
        sa.Column("who", sa.String(length=200), nullable=False),
        sa.Column("study", sa.String(length=80), nullable=False),
        sa.Column("what", sa.String(length=80), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "studies",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("approval", sa.Boolean(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("password", sa.Text(), nullable=True),
        sa.Column("operator", sa.Boolean(), nullable=False),
        sa.Column("owner", sa.Boolean(), nullable=False),
        sa.Column("outside", sa.Text(), nullable=True),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("outside"),
    )
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("study", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("source", sa.String(length=40), nullable=True),
        sa.Column("schema", sa.Text(), nullable=True),
        sa.Column("left_out", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.CheckConstraint("state IN ('empty', 'draft', 'open', 'deleted')", name="known_dataset_state"),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_datasets_study"), "datasets", ["study"], unique=False)
    op.create_table(
        "members",
        sa.Column("study", sa.String(length=80), nullable=False),
        sa.Column("user", sa.String(length=80), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.CheckConstraint("role IN ('owner', 'analyst', 'contributor', 'auditor')", name="known_role"),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.ForeignKeyConstraint(
            ["user"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("study", "user"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user", sa.String(length=80), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("user", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_table(
        "plans",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("user", sa.String(length=80), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("price", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["user"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_plans_hash"), "plans", ["hash"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("plan", sa.String(length=80), nullable=False),
        sa.Column("user", sa.String(length=80), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("worker", sa.String(length=80), nullable=True),
        sa.Column("reservation", sa.Integer(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.Column("finished", sa.String(length=40), nullable=True),
        sa.CheckConstraint(
            "state IN ('priced', 'approval', 'queued', 'running', "
            "'released', 'lost', 'refused', 'cancelled')",
            name="known_run_state",
        ),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["plan"],
            ["plans.id"],
        ),
        sa.ForeignKeyConstraint(
            ["user"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("user", "key", name="one_run_per_key"),
    )
    op.create_index(op.f("ix_runs_dataset"), "runs", ["dataset"], unique=False)
    op.create_index("queue", "runs", ["state", "place"], unique=False)
    op.create_table(
        "releases",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("run", sa.String(length=80), nullable=False),
        sa.Column("plan_hash", sa.String(length=64), nullable=False),
        sa.Column("dataset", sa.String(length=80), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("created", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["run"],
            ["runs.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run"),
    )
    op.create_index(op.f("ix_releases_dataset"), "releases", ["dataset"], unique=False)
    op.create_index(op.f("ix_releases_plan_hash"), "releases", ["plan_hash"], unique=False)
