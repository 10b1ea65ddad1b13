"""What each verb of the command line does, one module per verb."""

__all__ = ["VERBS"]

VERBS = {
    "run": "one cell: a game, a learner, a budget",
    "sweep": "every cell of a study, or of the product of the overrides",
    "reproduce": "every claim of the paper measured, with a verdict; profile=quick or full, claim=NAME,...",
    "report": "the report of a finished or unfinished sweep, from its journal; sweep=A,B merges",
    "compare": "whether sweep B fails more often than sweep A, cell by cell: compare A B; exit code 1 if so",
    "sync": "log to MLflow what a sweep's journal has and MLflow has not",
    "verify": "whether a sweep's results can be relied on: every byte checked, some cells computed again",
    "check": "whether a game, learner or explorer of yours keeps its contract: check FILE:NAME [family=NAME]",
    "ui": "the results in MLflow's pages",
    "list": "games, algorithms, budgets, studies; `list game=bandit/trap` shows parameters",
}
