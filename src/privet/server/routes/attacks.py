"""An attack that anybody can run, on people who do not exist: for those who want to see what noise does."""

from __future__ import annotations

from fastapi import APIRouter

from privet.server.guests import Asking, Serving
from privet.server.shapes import AttackAsked, AttackShown
from privet.service.membership_game import play

__all__ = ["router"]

router = APIRouter(tags=["learn"])


@router.post("/attacks/membership")
def attack(server: Serving, caller: Asking, body: AttackAsked) -> AttackShown:
    """Guess a hundred times whether a made-up person is in a table, from one noisy (or exact) count."""
    server.plans.step(caller.id)
    game = play(body.epsilon)
    return AttackShown(hits=game.hits, of=game.of, bound=game.bound, words=game.words())
