"""Exact answers on a model: response sets, best responses, commitments, core sets."""
