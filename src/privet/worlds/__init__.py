"""MADE-UP WORLDS: tables of people who do not exist, drawn from what is public and from guesses.

They are for practice, rehearsals and forecasts. No record is read to make one, so they cost nothing and say
nothing about anybody.
"""

from privet.worlds.detail import DetailedWorld
from privet.worlds.guess import Guess
from privet.worlds.world import World, made_up

__all__ = ["DetailedWorld", "Guess", "World", "made_up"]
