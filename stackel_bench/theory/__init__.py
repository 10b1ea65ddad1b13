"""What the theorems promise: sample sizes, bounds and exponents."""
