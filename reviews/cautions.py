"""Warnings about a take: shown beside its field; they do not prevent saving."""

from reviews.models import Take
from shipskip.editing.fields import count_words

FIELDS = ("score", "verdict", "because", "body")
"""The fields that warnings depend on."""

SHORT = 40
"""Minimum number of words to explain a score."""

SHIPS_FROM, SKIPS_UP_TO = 50, 79
"""The range of scores in which both verdicts are usual: 72 may ship, and 72 may skip."""


def at_odds(score: int | None, verdict: str) -> str:
    """A warning if score (0 to 100) and verdict do not match, so that one may be a mistake."""
    if score is None:
        return ""
    if verdict == "ship" and score < SHIPS_FROM:
        return f"A ship at {score} of 100? Check score and verdict; both may be right."
    if verdict == "skip" and score > SKIPS_UP_TO:
        return f"A skip at {score} of 100? Check score and verdict; both may be right."
    return ""


def too_short(body: str) -> str:
    """A warning if a text is shorter than SHORT words; none for an empty text."""
    number = count_words(body)
    if not number or number >= SHORT:
        return ""
    return f"Only {number} of the {SHORT} words a reader needs to follow the score."


def without_because(because: str, body: str) -> str:
    """A warning if a take has a text and no reason in one sentence."""
    if because.strip() or not body.strip():
        return ""
    return "Without it the first sentence of the text stands in: give the reason in one sentence."


def of_take(take: Take) -> list[str]:
    """The warnings about a stored take."""
    texts = [
        at_odds(take.score, take.verdict),
        too_short(take.body),
        f"No “because”. {found}" if (found := without_because(take.because, take.body)) else "",
    ]
    return [text for text in texts if text]


def as_typed(score: str, verdict: str, because: str, body: str) -> dict[str, str]:
    """The warnings about a take as typed so far, by field; empty where there is none."""
    return {
        "verdict": at_odds(score_of(score), verdict),
        "because": without_because(because, body),
        "body": too_short(body),
    }


def score_of(text: str) -> int | None:
    """The score in a text, 0 to 100; None for anything else."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= 100:
        return int(text)
    return None
