"""Entry points, one module per verb of the command line."""
