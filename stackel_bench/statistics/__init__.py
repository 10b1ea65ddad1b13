"""What replicates tell: intervals, samples needed, exponents, paired differences. Arrays in, numbers out."""

__all__ = ()
