"""Error bars, paired tests and what a gold set can see. Pure; seeded by constants.

What a gate or a report holds (`findings`) needs the standard library only; NumPy is imported where
counts are resampled.
"""
