"""How a follower who has several best responses chooses among them, seen from the leader."""

from __future__ import annotations

from enum import StrEnum

from stackel_bench.checks import choice


class TieBreaking(StrEnum):
    """Pessimistic: against the leader (phi). Optimistic: in the leader's favour (psi)."""

    PESSIMISTIC = "pessimistic"
    OPTIMISTIC = "optimistic"

    @classmethod
    def parse(cls, value: str | TieBreaking) -> TieBreaking:
        """The member named by value; an InputError lists the names otherwise."""
        return cls(choice("tie_breaking", value, [member.value for member in cls]))
