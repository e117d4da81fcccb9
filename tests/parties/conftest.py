"""A study with three or more parties, their keys and tables, in one folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.curator.tables import as_source
from privet.masking import OneTimeKey
from privet.parties import Coordinator, Exchange, Party, PartyStudy
from privet.parties.party import Said
from privet.schema import Schema
from privet.signing import make_keys

SCHEMA = Schema.of({"age": (0, 100), "cough": ["no", "yes"], "ill": ["no", "yes"]}, target="ill")


def people(seed: int, records: int = 400) -> pa.Table:
    draw = np.random.default_rng(seed)
    ill = draw.integers(0, 2, records)
    words = np.array(["no", "yes"])
    return pa.table(
        {
            "age": np.clip(40 + 30 * ill + draw.normal(0, 8, records), 0, 100),
            "cough": words[(ill + (draw.random(records) < 0.2)) % 2],
            "ill": words[ill],
        }
    )


@dataclass
class World:
    """A study, and everybody in it."""

    folder: Path
    exchange: Exchange
    tables: dict[str, pa.Table]
    secret: bytes
    reads: list[str] = field(default_factory=list)

    @property
    def study(self) -> PartyStudy:
        return self.exchange.study

    @property
    def coordinator(self) -> Coordinator:
        return Coordinator(self.exchange, self.secret)

    def party(self, name: str) -> Party:
        return Party(self.exchange, name, self.folder / name, self.folder / f"{name}.receipts")

    def step(self, name: str, **more: Any) -> Said:
        def opened(schema: Schema | None) -> Any:
            self.reads.append(name)
            return as_source(self.tables[name])

        return self.party(name).step(opened, **more)

    def all(self, names: Any = None) -> None:
        for name in names or self.tables:
            self.step(name)


@pytest.fixture
def world(tmp_path: Path) -> Callable[..., World]:
    def make(mode: str = "masked", parties: int = 3, epsilon: float = 2.0, **more: Any) -> World:
        names = [f"clinic-{number}" for number in range(parties)]
        keys = {}
        for name in names:
            make_keys(tmp_path / name)
            keys[name] = (tmp_path / f"{name}.pub").read_text()
        server = OneTimeKey.make()
        if mode == "masked":
            more.setdefault("honest", parties)
        schema = more.pop("schema", SCHEMA)
        tables = more.pop("tables", {name: people(number) for number, name in enumerate(names)})
        study = PartyStudy("fever", schema, epsilon, mode, keys, coordinator=server.public.hex(), **more)
        return World(tmp_path, Exchange.make(tmp_path / "shared", study), tables, server.private)

    return make
