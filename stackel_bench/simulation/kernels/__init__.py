"""Compiled draws of counts: binomial, hypergeometric, multinomial rows, and episodes built from them.

Counts are int64 in arrays and float64 inside formulas: int64 products wrap silently from 2**63 on, and
`math.floor` returns int64 in compiled code. Randomness is `rng.random()` only, so a stream does not change
with numpy's own samplers. Counts up to 2**53 are exact.
"""

__all__ = ()
