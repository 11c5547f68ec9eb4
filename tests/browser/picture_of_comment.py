"""Takes the README's pictures of a rendered comment, in light and in dark.

Not a test: run it by hand after a change of the templates, with Debian's chromium and `playwright`
from the package index (python -m tests.browser.picture_of_comment COMMENT.md OUT_DIRECTORY). The
Markdown goes through GitHub's own parser; colours and sizes are those of a comment on GitHub.
"""

import sys
from pathlib import Path

from tests.support.github_markdown import to_html

CHROMIUM = "/usr/bin/chromium"
WIDTH = 880

STYLE = """
:root { color-scheme: light dark; --fg: #1f2328; --bg: #ffffff; --soft: #f6f8fa; --line: #d1d9e0;
  --muted: #59636e; --link: #0969da; --code: #818b981f; }
@media (prefers-color-scheme: dark) { :root { --fg: #f0f6fc; --bg: #0d1117; --soft: #151b23;
  --line: #3d444d; --muted: #9198a1; --link: #4493f8; --code: #656c7633; } }
body { margin: 16px; background: var(--bg); color: var(--fg);
  font: 14px/1.5 -apple-system, "Noto Sans", "Liberation Sans", Arial, sans-serif; }
article { border: 1px solid var(--line); border-radius: 6px; }
header { padding: 8px 16px; background: var(--soft); border-bottom: 1px solid var(--line);
  border-radius: 6px 6px 0 0; color: var(--muted); }
main { padding: 16px; overflow-x: auto; }
h2 { font-size: 1.5em; margin: 0 0 16px; padding-bottom: .3em;
  border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; margin: 0 0 16px; display: block; max-width: 100%;
  overflow: auto; }
td, th { border: 1px solid var(--line); padding: 6px 13px; }
tr:nth-child(2n) { background: var(--soft); }
code { background: var(--code); padding: .2em .4em; border-radius: 6px; font-size: 85%;
  font-family: "Liberation Mono", monospace; white-space: break-spaces; }
details { margin-bottom: 16px; } p, ul { margin: 0 0 16px; } a { color: var(--link); }
"""


def page(markdown: str) -> str:
    return (
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><article><header><b>"
        f"github-actions</b> bot commented</header><main>{to_html(markdown)}</main></article>"
    )


def take(markdown: str, folder: Path) -> list[Path]:
    """Four pictures: light and dark, as it opens and with everything unfolded."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            tab = browser.new_page(color_scheme=scheme, viewport={"width": WIDTH, "height": 400})
            tab.set_content(page(markdown))
            for name, unfold in (("folded", False), ("unfolded", True)):
                if unfold:
                    tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                path = folder / f"comment-{scheme}-{name}.png"
                tab.screenshot(path=path, full_page=True)
                taken.append(path)
        browser.close()
    return taken


if __name__ == "__main__":
    for picture in take(Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2])):
        print(picture)
