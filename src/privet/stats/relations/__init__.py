"""Tables made of others: unions, joins, one record for each person; how far one unit changes them is proved.

A statistic of such a table is asked under a unit that says how many of its records one unit changes
(``schema.unit.DerivedUnit``): that many single records, one after the other.
"""

from privet.stats.relations.base import Base
from privet.stats.relations.chosen import Chosen
from privet.stats.relations.facts import Facts, Relation
from privet.stats.relations.joined import Joined
from privet.stats.relations.per_person import Aggregate, PerPerson
from privet.stats.relations.union import Union

__all__ = ["Aggregate", "Base", "Chosen", "Facts", "Joined", "PerPerson", "Relation", "Union"]
