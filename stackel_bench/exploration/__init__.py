"""From a budget to samples to an estimated model; plain functions, no Ray."""
