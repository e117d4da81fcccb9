"""STUDIES OF SEVERAL PARTIES: one question about all their people, what each sends, what all get."""

from privet.parties.coordinator import Coordinator
from privet.parties.exchange import Exchange
from privet.parties.party import Party
from privet.parties.study import MODES, PartyStudy

__all__ = ["MODES", "Coordinator", "Exchange", "Party", "PartyStudy"]
