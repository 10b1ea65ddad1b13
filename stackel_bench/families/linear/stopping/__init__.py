"""Learners of linear games that stop by themselves."""
