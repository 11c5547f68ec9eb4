"""What the policy asks of a pull request, read from GitHub: its changed files and its body."""

from bot.github.interface import GitHub
from bot.policy.changed_files import ChangedFiles


def pull_request_facts(github: GitHub, number: int) -> tuple[ChangedFiles, str]:
    """Both names of a renamed file count; the list is incomplete where GitHub stops (3,000)."""
    body = github.pull(number).body
    files, is_complete = github.pull_files(number)
    names = {file.filename for file in files}
    names |= {file.previous_filename for file in files if file.previous_filename}
    return ChangedFiles(frozenset(names), is_complete), body
