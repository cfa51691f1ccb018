"""What an algorithm does: its rounds, transfers and traffic, as values, tables and pictures.

from anabranch.explain import explain
explanation = explain("bcast/scatter_ring_tuned", ranks=10)
Path("tuned.svg").write_text(explanation_svg(explanation))
"""

from anabranch.explain.call import ExplainedCall, explain_call, print_call
from anabranch.explain.drawing import DrawingError, explanation_svg
from anabranch.explain.explanation import (
    DEFAULT_NETWORK,
    DEFAULT_SIZE_BYTES,
    Explanation,
    RankTraffic,
    Transfer,
    block_text,
    explain,
)
from anabranch.explain.names import find, select
from anabranch.explain.tables import print_explanation

__all__ = [
    "DEFAULT_NETWORK",
    "DEFAULT_SIZE_BYTES",
    "DrawingError",
    "ExplainedCall",
    "Explanation",
    "RankTraffic",
    "Transfer",
    "block_text",
    "explain",
    "explain_call",
    "explanation_svg",
    "find",
    "print_call",
    "print_explanation",
    "select",
]
