"""Named games, one module per family; parameters and defaults are in conf/game."""
