"""`stackel-bench reproduce`: every claim of the paper as a study with a verdict."""

import functools

from stackel_bench import checks
from stackel_bench.claims.claim import PROFILES, claim_names, load_claim
from stackel_bench.claims.claims_plan import plan_claims
from stackel_bench.errors import NoEffectError
from stackel_bench.verbs.steps.publish_claims import publish_claims
from stackel_bench.verbs.steps.session import command_line, run_session


def main(words: list[str]) -> int:
    """Run the cells of all claims (or of claim=NAME,...) as one sweep, then judge; the exit code."""
    profile, names, overrides = _split(words)
    claims = sorted((load_claim(name) for name in names), key=lambda claim: (claim.order, claim.name))
    planned = plan_claims(claims, profile, overrides)
    command = command_line("reproduce", words)
    return run_session(planned.plan, command, functools.partial(publish_claims, planned))


def _split(words: list[str]) -> tuple[str, list[str], list[str]]:
    """Profile, names of the claims, and the overrides that are meant for all cells."""
    own = {"profile": "quick", "claim": ",".join(claim_names())}
    overrides = []
    for word in words:
        key, equals, value = word.partition("=")
        if key in own and equals:
            own[key] = value
        elif key.split(".")[0] in ("study", "game", "tie_breaking"):
            raise NoEffectError(key, "every claim names its own cells (claim=NAME,... chooses)")
        else:
            overrides.append(word)
    profile = checks.choice("profile", own["profile"], PROFILES)
    return profile, list(dict.fromkeys(name.strip() for name in own["claim"].split(","))), overrides
