"""Learners of simultaneous games that stop by themselves."""
