"""How good search is: data sets, metrics with confidence intervals, and reports against a baseline."""
