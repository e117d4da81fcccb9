"""Perturbations: tried by everybody on made-up people; of the real table, one file, once, for its owner.

A perturbed table is a release of rows, and most methods promise nothing. So no analyst gets one, no copy is
kept, and every one is written into the ledger and into the study's log, with the owner's word for it.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from privet.server.cases import perturbation
from privet.server.genotypes import is_study
from privet.server.guests import Asking, Serving
from privet.server.planning import schema_file
from privet.server.problems import Refusal
from privet.server.registering import stored
from privet.server.releasing import finite
from privet.server.routes.runs import open_row
from privet.server.shapes import PerturbationShown, PerturbationTried, PerturbedAsked, TableShown
from privet.server.store import audit
from privet.service import Session
from privet.service.rehearsing_perturbation import perturb_for_the_owner, rehearse_perturbation

__all__ = ["router"]

router = APIRouter(tags=["perturbations"])
_one_at_a_time = threading.Lock()
_GENOTYPES = Refusal(422, "This is for tables", "Genotypes are not perturbed here.", "Choose a table.")


@router.post("/perturbations")
def try_perturbation(
    request: Request, server: Serving, caller: Asking, body: PerturbationTried
) -> PerturbationShown:
    """Perturb people who do not exist, and attack what came out. Free: nobody's row is read."""
    server.plans.step(caller.id)
    row = open_row(request, server, caller, body.dataset)
    if is_study(server, row):
        raise _GENOTYPES
    name, settings = perturbation(body.algorithm, body.parameters)
    with _one_at_a_time:  # it computes for a while: not for everybody at once
        found = rehearse_perturbation(schema_file(server, row.id, row.version), name, settings, body.columns)
    return PerturbationShown(
        records=found.records,
        promises=found.promises,
        headline=found.guarantee.headline,
        guarantee_text=found.guarantee.text(),
        verdicts=list(found.verdicts),
        attacks=[TableShown(**vars(table)) for table in found.attacks],
        attack_text=found.attack_text,
        charts=[finite(chart.to_dict()) for chart in found.charts],
    )


@router.post("/datasets/{dataset}/perturbed", response_class=FileResponse)
def perturb_rows(
    request: Request, server: Serving, caller: Asking, dataset: str, body: PerturbedAsked
) -> FileResponse:
    """The owner's table, freshly perturbed, as a CSV file. No copy stays; that it was made is recorded."""
    row = open_row(request, server, caller, dataset)
    if is_study(server, row):
        raise _GENOTYPES
    name, settings = perturbation(body.algorithm, body.parameters)
    outgoing = server.settings.home / "outgoing"
    outgoing.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(dir=outgoing))
    try:
        guarantee = perturb_for_the_owner(
            stored(server, row),
            schema_file(server, row.id, row.version),
            folder / "perturbed.csv",
            name,
            settings,
            body.columns,
            session=Session(idle=server.database.ledger, analyst=caller.name),
            owner_says=body.says,
        )
        with server.database.write() as connection:
            about = {"algorithm": name, "settings": settings, "columns": body.columns, "says": body.says}
            audit.note(connection, caller.name, row.study, "took a perturbed table", dataset=dataset, **about)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    promise = "local" if guarantee.protects else "none"
    return FileResponse(
        folder / "perturbed.csv",
        media_type="text/csv",
        filename="perturbed.csv",
        headers={"Cache-Control": "no-store", "X-Privet-Guarantee": promise},
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )
