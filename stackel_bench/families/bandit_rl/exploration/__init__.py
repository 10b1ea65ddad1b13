"""What explorers share: plans, estimates, bonuses, certificates, and how good an exploration was."""

__all__ = ()
