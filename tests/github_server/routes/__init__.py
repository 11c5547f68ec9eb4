"""The endpoints. Importing this package fills the routing table."""

from tests.github_server.routes import (
    actions,
    apps,
    checks,
    comments,
    contents,
    git_data,
    labels,
    pulls,
    repositories,
)

__all__ = [
    "actions",
    "apps",
    "checks",
    "comments",
    "contents",
    "git_data",
    "labels",
    "pulls",
    "repositories",
]
