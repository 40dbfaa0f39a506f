"""How the page cache answered."""

from shipskip.operations.observability.metrics import WORKER_REGISTRY


def answered(outcome: str) -> int:
    """The number of responses with this outcome, such as `hit`, of this process."""
    return int(WORKER_REGISTRY.get_sample_value("shipskip_memory_total", {"outcome": outcome}) or 0)
