"""The server's tables, beside the ledger's own: SQLAlchemy Core, the same on SQLite and PostgreSQL.

Times are ISO 8601 in UTC, as text: they are for people, and nothing is decided by comparing two clocks but
the end of sessions and tokens. Documents are JSON texts. Nothing here holds a row of anybody's table.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "RUN_STATES",
    "audit",
    "datasets",
    "experiment_runs",
    "experiments",
    "flow_keys",
    "flow_steps",
    "members",
    "metadata",
    "plans",
    "releases",
    "runs",
    "sessions",
    "studies",
    "tokens",
    "users",
]

RUN_STATES = ("priced", "approval", "queued", "running", "released", "lost", "refused", "cancelled")

metadata = MetaData()


def _key() -> Column[str]:
    return Column("id", String(80), primary_key=True)


users = Table(
    "users",
    metadata,
    _key(),
    Column("name", String(200), nullable=False, unique=True),
    Column("password", Text),  # argon2; NULL for whoever signs in elsewhere
    Column("operator", Boolean, nullable=False),
    Column("owner", Boolean, nullable=False),  # may make studies and users
    Column("outside", Text, unique=True),  # who an OpenID provider says it is: issuer and subject
    Column("created", String(40), nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),  # of the secret in the cookie
    Column("user", ForeignKey("users.id"), nullable=False),
    Column("created", String(40), nullable=False),
    Column("expires", Float, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    _key(),
    Column("digest", String(64), nullable=False, unique=True),
    Column("user", ForeignKey("users.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created", String(40), nullable=False),
    Column("expires", Float, nullable=False),
)

studies = Table(
    "studies",
    metadata,
    _key(),
    Column("name", String(200), nullable=False),
    Column("approval", Boolean, nullable=False),
    Column("created", String(40), nullable=False),
)

members = Table(
    "members",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("user", ForeignKey("users.id"), primary_key=True),
    Column("role", String(20), nullable=False),
    CheckConstraint("role IN ('owner', 'analyst', 'contributor', 'auditor')", name="known_role"),
)

datasets = Table(
    "datasets",
    metadata,
    _key(),  # also the name of its account in the ledger
    Column("study", ForeignKey("studies.id"), nullable=False, index=True),
    Column("name", String(200), nullable=False),
    Column("state", String(20), nullable=False),
    Column("source", String(40)),  # what kind of file was stored, such as ".csv"
    Column("schema", Text),  # JSON, in the order of its columns
    Column("left_out", Text),  # JSON: what is left out, why, and what was said about it
    Column("version", Integer, nullable=False),
    Column("created", String(40), nullable=False),
    CheckConstraint("state IN ('empty', 'draft', 'open', 'deleted')", name="known_dataset_state"),
)

plans = Table(
    "plans",
    metadata,
    _key(),
    Column("hash", String(64), nullable=False, index=True),
    Column("user", ForeignKey("users.id"), nullable=False),
    Column("dataset", ForeignKey("datasets.id"), nullable=False),
    Column("version", Integer, nullable=False),  # of the schema
    Column("practice", Boolean, nullable=False),
    Column("document", Text, nullable=False),  # JSON: use case, algorithm, release, parameters
    Column("price", Text, nullable=False),  # JSON: as it was said
    Column("created", String(40), nullable=False),
)

runs = Table(
    "runs",
    metadata,
    _key(),
    Column("plan", ForeignKey("plans.id"), nullable=False),
    Column("user", ForeignKey("users.id"), nullable=False),
    Column("dataset", ForeignKey("datasets.id"), nullable=False, index=True),
    Column("key", String(255), nullable=False),  # the Idempotency-Key
    Column("state", String(20), nullable=False),
    Column("step", Text, nullable=False),
    Column("worker", String(80)),  # who has taken it; paid for only once it is running
    Column("reservation", Integer),  # the ledger's number, written in the ledger's own transaction
    Column("problem", Text),  # for everybody
    Column("detail", Text),  # for the owner: the kind of error
    Column("place", Integer, nullable=False),  # its place in the queue
    Column("created", String(40), nullable=False),
    Column("finished", String(40)),
    UniqueConstraint("user", "key", name="one_run_per_key"),
    CheckConstraint(
        "state IN (" + ", ".join(f"'{state}'" for state in RUN_STATES) + ")", name="known_run_state"
    ),
    Index("queue", "state", "place"),
)

releases = Table(
    "releases",
    metadata,
    _key(),
    Column("run", ForeignKey("runs.id"), nullable=False, unique=True),  # a run is released once
    Column("plan_hash", String(64), nullable=False, index=True),
    Column("dataset", ForeignKey("datasets.id"), nullable=False, index=True),
    Column("practice", Boolean, nullable=False),
    Column("answer", Text, nullable=False),  # JSON: what the API shows
    Column("model", Text),  # JSON: the model's document
    Column("report", Text, nullable=False),  # HTML
    Column("document", Text, nullable=False),  # JSON: the run document
    Column("created", String(40), nullable=False),
)

experiments = Table(
    "experiments",
    metadata,
    _key(),  # also the name of its folder
    Column("dataset", ForeignKey("datasets.id"), nullable=False, index=True),
    Column("user", ForeignKey("users.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("document", Text, nullable=False),  # JSON: the experiment as plain data
    Column("tables", Text, nullable=False),  # JSON: for each table that is a dataset, its id and version
    Column("state", String(20), nullable=False),  # of its free cells
    Column("problem", Text),
    Column("created", String(40), nullable=False),
    CheckConstraint("state IN ('running', 'paused', 'done', 'failed')", name="known_experiment_state"),
)

experiment_runs = Table(
    "experiment_runs",
    metadata,
    Column("experiment", ForeignKey("experiments.id"), primary_key=True),
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("cell", String(24), nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("moment", String(40), nullable=False),
    Column("who", String(200), nullable=False),
    Column("study", String(80), nullable=False),  # "" for what concerns no study
    Column("what", String(80), nullable=False),
    Column("about", Text, nullable=False),  # JSON
    Column("hash", String(64), nullable=False),
)

flow_steps = Table(
    "flow_steps",
    metadata,
    Column("run", ForeignKey("runs.id"), primary_key=True),
    Column("identity", String(64), primary_key=True),  # of the step, its settings, budget and inputs
    Column("dataset", ForeignKey("datasets.id"), nullable=False),
    Column("version", Integer, nullable=False),  # of the schema
    Column("document", Text, nullable=False),  # JSON: the model or the score, with its guarantee
    Index("kept_steps", "dataset", "version", "identity"),
)

flow_keys = Table(
    "flow_keys",
    metadata,
    Column("dataset", ForeignKey("datasets.id"), primary_key=True),
    Column("name", String(80), primary_key=True),  # of the split
    Column("secret", Text, nullable=False),  # who is held out follows from it: shown to nobody
)
