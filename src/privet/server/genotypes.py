"""Studies of genotypes: stored file by file or as a zip, made whole, and opened by what is public about them.

Whatever was handed over is kept as PLINK keeps a study. Plans and practice read its two public lists, who
takes part and which variants there are; the genotypes themselves are opened by a run that is paid for.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row

from privet.server.problems import Refusal
from privet.server.shapes import OpenAsked, VariantsShown
from privet.server.state import Server
from privet.server.store import audit, datasets
from privet.service import Session

if TYPE_CHECKING:
    from privet.server.cases import Asked
    from privet.server.guests import Caller

__all__ = [
    "PARTS",
    "STUDY_FILE",
    "draft",
    "is_study",
    "keep_part",
    "open_account",
    "public_lists",
    "refuse_changes",
    "require_kind",
    "variants",
]

STUDY_FILE = "rows.bed"
_LISTS = "study.json"
_PLINK = (".bed", ".bim", ".fam")
_VCF = (".vcf", ".vcf.gz")
_PHENOTYPES = (".pheno", ".txt")
#: The files that a study comes in.
PARTS = (*_PLINK, *_VCF, *_PHENOTYPES, ".zip")
PAGE = 25


def is_study(server: Server, row: Row[Any]) -> bool:
    """Whether a dataset holds genotypes, or held them."""
    if row.source is not None:
        return row.source in (*_PLINK, *_VCF)
    return (server.folder(row.id) / _LISTS).exists()


def require_kind(server: Server, row: Row[Any], asked: Asked) -> None:
    """Refuse what is for tables where there are genotypes, and the other way round."""
    if asked.genotypes == is_study(server, row):
        return
    needs = "a study of genotypes" if asked.genotypes else "a table"
    raise Refusal(422, "This does not fit the data", f"It is for {needs}.", "Choose another.", "use_case")


def keep_part(server: Server, caller: Caller, row: Row[Any], place: Path, ending: str) -> None:
    """Keep one file of a study, or all that are in a zip; the rest of the study stays as it is."""
    from privet.server.registering import changeable, forget_rows

    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        parts = _unpacked(place, Path(folder)) if ending == ".zip" else {ending: place}
        source = _source(set(parts))
        with server.database.write() as connection:
            now = datasets.find(connection, row.id, lock=True)
            assert now is not None
            changeable(server, now)
            if now.source is not None and source is not None and now.source != source:
                forget_rows(server, now)  # another table, or another kind of study
            home = server.folder(row.id)
            home.mkdir(parents=True, exist_ok=True, mode=0o700)
            for each, file in parts.items():
                file.replace(home / f"rows{'.pheno' if each in _PHENOTYPES else each}")
            kept = source or now.source
            datasets.change(connection, row.id, state="empty", source=kept, schema=None, left_out=None)
            audit.note(connection, caller.name, row.study, "stored genotypes", dataset=row.id)


def _source(endings: set[str]) -> str | None:
    """What kind of study these files belong to; None for phenotypes alone, which go with any."""
    vcf = [ending for ending in _VCF if ending in endings]
    if vcf and endings & set(_PLINK):
        raise Refusal(422, "Two studies at once", "There is a VCF file among PLINK's files.", "Send one.")
    return vcf[0] if vcf else ".bed" if endings & set(_PLINK) else None


def _unpacked(place: Path, folder: Path) -> dict[str, Path]:
    """The files of a zip by their endings. Of their names nothing else is used; it was weighed before."""
    found: dict[str, Path] = {}
    with zipfile.ZipFile(place) as archive:
        for part in archive.infolist():
            endings = [each for each in PARTS if part.filename.lower().endswith(each) and each != ".zip"]
            name = part.filename.rpartition("/")[2]
            if part.is_dir() or not endings or name.startswith("."):  # such as what a Mac adds
                continue
            ending = max(endings, key=len)
            if ending in found:
                raise Refusal(
                    422, "The zip holds several studies", f"It has two {ending} files.", "Send one study."
                )
            found[ending] = folder / f"part{len(found)}"
            with archive.open(part) as source, found[ending].open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
    place.unlink()
    if not found:
        raise Refusal(
            422, "There is no study in the zip", "It holds no .bed, .bim, .fam or .vcf file.", "Check it."
        )
    return found


def draft(server: Server, caller: Caller, row: Row[Any]) -> None:
    """Make the study whole, and say what would be public about it, for its owner to confirm."""
    from privet.server.registering import changeable, stored
    from privet.service.gwas.taking_in import draft_study, make_whole

    changeable(server, row)
    stem = stored(server, row).with_name("rows")
    phenotypes = stem.with_name("rows.pheno")
    bed = make_whole(stem, row.source, phenotypes if phenotypes.exists() else None)
    for left in (phenotypes, *(stem.with_name(f"rows{ending}") for ending in _VCF)):
        if left.exists():
            with left.open("r+b") as file:
                file.truncate(0)
                os.fsync(file.fileno())
            left.unlink()
    schema, lists = draft_study(bed, row.id)
    (server.folder(row.id) / _LISTS).write_text(json.dumps(lists.to_dict()), encoding="utf-8")
    with server.database.write() as connection:
        document = json.dumps(schema.to_dict())
        datasets.change(connection, row.id, source=".bed", state="draft", schema=document, left_out=None)
        audit.note(connection, caller.name, row.study, "drafted a schema", dataset=row.id)


def refuse_changes(server: Server, row: Row[Any]) -> None:
    """What is public about a study follows from its files: there is nothing to type."""
    if is_study(server, row):
        raise Refusal(
            409,
            "A study says itself what is public about it",
            "Who takes part, who is a case, and which variants were measured is in its files.",
            "If that is not public, do not open it. To change it, store other files.",
        )


def open_account(server: Server, caller: Caller, row: Row[Any], asked: OpenAsked) -> None:
    """Give the people of a study a budget."""
    from privet.service.gwas import OpenStudy

    case = OpenStudy(
        study=server.folder(row.id) / STUDY_FILE,
        dataset=row.id,
        epsilon=asked.epsilon,
        delta=asked.delta,
        each_analyst=asked.per_analyst,
    )
    case.run(Session(ledger=server.database.ledger, analyst=caller.name, scope=row.study))


def public_lists(server: Server, row: Row[Any]) -> dict[str, Any]:
    place = server.folder(row.id) / _LISTS
    if not place.exists():
        raise Refusal(409, "The study is not whole yet", "Some of its files are missing.", "Store them.")
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found


def variants(server: Server, row: Row[Any], first: int, find: str) -> VariantsShown:
    from privet.server.registering import stored
    from privet.service.gwas.taking_in import listed_variants

    public_lists(server, row)
    stored(server, row)
    page = listed_variants(server.folder(row.id) / STUDY_FILE, first, PAGE, find.strip())
    header = ["Variant", "Chromosome", "Position", "First allele", "Second allele"]
    return VariantsShown(number=page.number, first=first, header=header, rows=page.rows)
