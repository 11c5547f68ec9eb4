"""Baseline, staleness and the regression gate."""
