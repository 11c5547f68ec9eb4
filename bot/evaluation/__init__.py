"""From gold set and predictions to a report (ADR-0066)."""
