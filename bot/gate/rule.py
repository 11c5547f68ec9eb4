"""The rules by which a gate may fail a drop. Standard library only."""

from typing import Final, Literal, get_args

Rule = Literal["absolute", "significant", "both"]
"""`policy.rule` of the baseline; a drop is in percentage points, the limit `max_regression_pp`.

- `absolute`, the default: a drop over the limit fails (CONTRACTS section 4).
- `significant`: a drop over the limit fails when it is also beyond chance: paired by conversation,
  corrected over the gated metrics, p under 0.05. Fewer false alarms.
- `both`: either condition fails by itself: a drop over the limit, or one beyond chance however
  small. Strictest: it also finds the small drop of a large gold set.

A metric that cannot be tested (no per-conversation counts of the baseline, other conversations, too
few of them) is judged by `absolute`, and the result says so: what nobody tested is not passed.
"""

RULES: Final[tuple[Rule, ...]] = get_args(Rule)
DEFAULT_RULE: Final[Rule] = "absolute"
