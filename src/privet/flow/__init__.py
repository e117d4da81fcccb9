"""FLOWS: a whole process as one value, priced before it runs and paid for once.

Sources, preprocessing, selection, learning, evaluation and reports are the steps of a graph. Its edges have
kinds, and an edge of private rows can end only at a step that measures: a leak cannot be written down.
"""

from privet.flow.flow import Flow
from privet.flow.parts import PartsPlan, PartsResult, plan_parts, run_parts
from privet.flow.planning import FlowPlan
from privet.flow.running import FlowResult

__all__ = ["Flow", "FlowPlan", "FlowResult", "PartsPlan", "PartsResult", "plan_parts", "run_parts"]
