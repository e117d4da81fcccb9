"""Reports: one HTML file that holds everything it shows, for people to read, keep and send on."""

from privet.report.charts import Bars, Chart, Heatmap, Lines, Node, Points, Series, Tree
from privet.report.page import Page, Section
from privet.report.plots import bars, error_bars, intervals, lines, points, save_svg, stacked

__all__ = [
    "Bars",
    "Chart",
    "Heatmap",
    "Lines",
    "Node",
    "Page",
    "Points",
    "Section",
    "Series",
    "Tree",
    "bars",
    "error_bars",
    "intervals",
    "lines",
    "points",
    "save_svg",
    "stacked",
]
