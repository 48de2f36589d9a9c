"""Scripts inside pages: ES modules with the data that they play, in one piece of HTML that needs no network.

A module imports others as `./name.js`. A page has no such files, so a small loader makes a blob URL of each module, the
imported ones first, with their URLs in place of the names. A page keeps one copy of a module, whatever the number of
its widgets, because the loader remembers the URLs.
"""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from pipeline.artefact import ROOT
from pipeline.errors import UserError

FOLDERS = (Path(__file__).parent / "web", ROOT / "arena" / "web")
IMPORT = re.compile(r"""^(?:import|export)\b[^;"']*["']\./([\w-]+\.js)["']""", re.MULTILINE)

LOADER = """\
(async () => {
  const modules = %(modules)s;
  const urls = (window.prezeroModules ??= {});
  for (const [name, source] of modules) {
    urls[name] ??= URL.createObjectURL(
      new Blob(
        [source.replace(/^((?:import|export)\\b[^;"']*)["']\\.\\/([\\w-]+\\.js)["']/gm, (_, words, file) =>
          `${words}"${urls[file]}"`)],
        { type: "text/javascript" },
      ),
    );
  }
  const element = document.getElementById("%(name)s");
  const data = JSON.parse(element.querySelector("script[type='application/json']").textContent);
  const { start } = await import(urls["%(kind)s.js"]);
  element.replaceChildren();
  start(element, data);
})();"""


def module_path(name: str) -> Path:
    """Return the file of a module, which is in the classroom or in the arena."""
    for folder in FOLDERS:
        if (folder / name).is_file():
            return folder / name
    raise UserError(f"There is no script {name} in classroom/web or arena/web.")


def modules_of(name: str) -> dict[str, str]:
    """Return the sources of a module and of all that it imports, the imported ones first."""
    sources: dict[str, str] = {}

    def add(name: str, importers: tuple[str, ...]) -> None:
        if name in importers:
            raise UserError(f"The scripts {' and '.join((*importers, name))} import each other.")
        source = module_path(name).read_text(encoding="utf-8")
        for imported in IMPORT.findall(source):
            if imported not in sources:
                add(imported, (*importers, name))
        sources[name] = source

    add(name, ())
    return sources


def as_json(value: Any) -> str:
    """Write a value as JSON that can stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def widget(kind: str, data: Any, title: str, name: str) -> str:
    """Return the HTML of a widget: its element with the data, and the script that starts it. `name` is its id."""
    modules = as_json(list(modules_of(f"{kind}.js").items()))
    loader = LOADER % {"modules": modules, "name": name, "kind": kind}
    return (
        f'<div id="{name}" class="lesson-widget" data-kind="{kind}" role="group" aria-label="{escape(title)}">'
        f'<script type="application/json">{as_json({"title": title, **_fields(data)})}</script></div>\n'
        f"<script>{loader}</script>"
    )


def _fields(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {"data": data}
