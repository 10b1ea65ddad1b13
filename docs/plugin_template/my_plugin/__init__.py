"""A plug-in of stackel_bench: one game, one learner, one study."""
