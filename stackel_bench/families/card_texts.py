"""Numbers and titles of hardness cards as people read them."""

import math

LEAST_PLAIN, MOST_PLAIN = 1e3, 1e7  # between them numbers of samples are written out

MEANINGS = {
    "pessimistic gap / eps": "what errors of eps can cost; ties go against the leader",
    "optimistic gap / eps": "the same where ties go in the leader's favour",
    "lead of the best response / eps": "least and largest over leader actions; 0 is a tie",
    "responses within eps": "share of responses that the follower loses at most eps by",
    "leader actions within eps of the best": "by the leader's value against the worst best response",
    "leader actions that break the guarantee": "wrong answers; if none, only a wrong response can be wrong",
    "T*, pessimistic": "samples per ln(1/delta) of every sound learner as delta goes to 0; Gaussian noise",
    "T*, optimistic": "the same where ties go in the leader's favour",
    "lower bound, Gaussian noise": "samples that this is at delta, pessimistic",
    "lower bound, Bernoulli noise": "the same for rewards of 0 and 1, which tell more",
    "worst case": "samples below which every learner fails on some game of these sizes",
}


def is_number(text: str) -> bool:
    """Whether a card's text is a number, or several, or sizes; not why there is none."""
    return text[:1].isdigit() or " = " in text


def number(value: float) -> str:
    """Three significant digits; thousands and millions written out, powers of ten beyond."""
    if math.isinf(value):
        return "infinite"
    if LEAST_PLAIN <= value < MOST_PLAIN:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def needed_text(text: str) -> str:
    """What was measured, such as `> 2.1e+05`, written like other numbers; words stay as they are."""
    sign, _, digits = text.rpartition(" ")
    if sign not in ("", "<", ">"):
        return text
    return f"{sign} {number(float(digits))}".strip()
