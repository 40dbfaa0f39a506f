"""The panel's verdict on every public tool: one code for our weights and a reader's own.

The numbers come from `reviews.scoring`.
"""

from collections.abc import Mapping, Sequence

from reviews.scoring import OUR_WEIGHTS, Panel, Weights, panel_of
from shipskip.content.records import Tool
from shipskip.content.tool_sets import ToolSet, sets_by


class Standings:
    """The panels on some tools, by the tools' places, and what follows from them."""

    def __init__(self, tools: Sequence[Tool], weights: Weights = OUR_WEIGHTS) -> None:
        self.panels: Sequence[Panel] = [panel_of(tool.takes, weights) for tool in tools]
        self.by_verdict: Mapping[str, ToolSet] = sets_by(panel.verdict for panel in self.panels)
        means = [-1.0 if panel.mean is None else panel.mean for panel in self.panels]
        best_first = sorted(range(len(means)), key=means.__getitem__, reverse=True)
        self.ranked: Sequence[int] = best_first
        """Places by score, the best first and those without takes last; ties by name, because the
        sort is stable and places are in the order of names."""
