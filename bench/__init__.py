"""Measurements of the platform, as ratios inside one run; see docs/benchmarks."""
