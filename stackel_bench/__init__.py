"""Learning Stackelberg equilibria in general-sum games from noisy samples: games, learners, exact oracles."""
