"""The journal of finished cells and its MLflow mirror."""
