"""Joining the page's modules: what is joined does what the modules did, and a strange shape is refused."""

import json
import re
import subprocess

import pytest

from palio_server.api.page_joiner import LARGE, UnknownShape, join
from palio_server.api.pages import WEB

SOURCES = {
    "app.js": """/** Starts. */
import { twice as double } from "./lib/a.js";
import whole from "./vendor/v.js";
export const views = [
  async () => (await import("./components/lobby.js")).Lobby,
  async () => (await import("./components/other.js")).Other,
];
export const start = () => double(whole);
""",
    "lib/a.js": """/**
 * Adds.
 */
const hidden = 2;
export async function late() {}
export function twice(/** @type {number} */ number) {
  return hidden * number;
}
export { one as first } from "./b.js";
""",
    "lib/b.js": "const one = 1;\nclass Kept {}\nexport { one, Kept as Held };\n",
    "lib/c.js": "export const both = 3;\n",
    "components/lobby.js": 'import { both } from "../lib/c.js";\nimport { first,\n  twice } from "../lib/a.js";\n'
    "export const Lobby = both + first + twice(10);\n",
    "components/other.js": 'import { both } from "../lib/c.js";\nexport class Other { static sum = both; }\n',
    "vendor/v.js": "export default 21;\n",
}

RUN = """
const app = await import(process.argv[1]);
const views = await Promise.all(app.app.views.map((load) => load()));
console.log(app.app.start(), views[0], views[1].sum);
"""


def changed(**files: str) -> dict[str, str]:
    return SOURCES | {path.replace("__", "/") + ".js": text for path, text in files.items()}


@pytest.mark.node
def test_joined_modules_do_what_they_did_one_by_one(node, tmp_path):
    for name, text in join(SOURCES).files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "v.js").write_text(SOURCES["vendor/v.js"])
    command = [node, "--input-type=module", "--eval", RUN, str(tmp_path / "core.js")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("42 24 3\n", "")


def test_what_the_first_view_shares_is_in_the_core_and_each_view_has_a_file():
    joined = join(SOURCES)
    assert sorted(joined.files) == ["core.js", "view_lobby.js", "view_other.js"]
    assert joined.needs["components/lobby.js"] == ("core.js", "view_lobby.js")
    assert "lib_c" in joined.files["core.js"]


def test_what_is_large_and_shared_by_the_same_views_is_loaded_by_no_other():
    big = f"export const own = {'1 + ' * LARGE}1;\n"
    asks = 'import { own } from "../lib/d.js";\nimport { tiny } from "../lib/e.js";\nexport const Other = own + tiny;\n'
    less = 'import { tiny } from "../lib/e.js";\nexport const Other = tiny;\n'
    names = ("third", "fourth", "fifth")
    app = SOURCES["app.js"] + "".join(
        f'export const {each} = () => import("./components/{each}.js");\n' for each in names
    )
    modules = {"components__third": asks, "components__fourth": asks, "components__fifth": less}
    joined = join(changed(app=app, lib__d=big, lib__e="export const tiny = 1;\n", **modules))
    assert joined.needs["components/third.js"] == (
        "common.js", "core.js", "shared_fourth_third.js", "view_third.js",
    )  # fmt: skip
    assert joined.needs["components/fifth.js"] == ("common.js", "core.js", "view_fifth.js")


def test_remarks_behind_code_are_left_out_and_addresses_in_texts_are_not():
    text = 'const url = "http://x"; // why\nexport const page = `\n  // kept ${url}\n`;\nexport const both = 3;\n'
    joined = join(changed(lib__c=text)).files["core.js"]
    assert 'const url = "http://x";\nconst page = `\n  // kept ${url}\n`;\nconst both = 3;' in joined


def test_lines_lose_their_indent_and_texts_that_span_lines_keep_it():
    text = (
        "const one = {\n  two: html`\n    <p></p>\n  `,\n};\nconst bot = `class Mine:\n    def`;\n  const three = 3;\n"
    )
    core = join({**SOURCES, "app.js": SOURCES["app.js"] + text}).files["core.js"]
    assert "const one = {\ntwo: html`\n<p></p>\n`,\n};\nconst bot = `class Mine:\n    def`;\nconst three = 3;\n" in core


def test_what_only_later_views_share_does_not_delay_the_first():
    third = 'import { own } from "../lib/d.js";\nexport const Other = own;\n'
    app = SOURCES["app.js"] + 'export const more = () => import("./components/third.js");\n'
    joined = join(changed(app=app, components__other=third, components__third=third, lib__d="export const own = 1;\n"))
    assert joined.needs["components/third.js"] == ("common.js", "core.js", "view_third.js")
    assert joined.needs["components/lobby.js"] == ("core.js", "view_lobby.js")


@pytest.mark.parametrize(
    "line", ["export let a = 1;", "export default 1;", 'export * from "./c.js";', 'import x, { y } from "./c.js";']
)
def test_another_shape_is_refused_with_file_and_line(line):
    with pytest.raises(UnknownShape, match=r"lib/b\.js: write this import or export"):
        join(changed(lib__b=f"{line}\n"))


def test_modules_that_import_each_other_are_refused_with_both_names():
    even = 'import { odd } from "./b.js";\nexport const even = (n) => n === 0 || odd(n - 1);\n'
    odd = 'import { even } from "./a.js";\nexport const odd = (n) => n !== 0 && even(n - 1);\n'
    app = 'import { even } from "./lib/a.js";\nexport const start = () => even(10);\n'
    with pytest.raises(UnknownShape, match=r"lib/b\.js imports lib/a\.js, which imports it in turn"):
        join({"app.js": app, "lib/a.js": even, "lib/b.js": odd})


THROWS = """
import { SourceMap } from "node:module";
import { readFileSync } from "node:fs";
const [text, map] = process.argv.slice(1).map((path) => readFileSync(path, "utf8"));
const known = new SourceMap(JSON.parse(map));
for (const [number, line] of text.split("\\n").entries()) {
  const entry = known.findEntry(number, 0);
  const source = JSON.parse(map).sourcesContent[JSON.parse(map).sources.indexOf(entry.originalSource)];
  if (entry.generatedLine !== number) continue;
  console.log(JSON.stringify([line, source.split("\\n")[entry.originalLine].slice(entry.originalColumn)]));
}
"""


@pytest.mark.node
@pytest.mark.parametrize("whole", [False, True], ids=["a few modules", "the page"])
@pytest.mark.first(1)
def test_a_source_map_leads_from_each_line_to_the_same_line_of_its_module(node, tmp_path, whole):
    page = {path.relative_to(WEB).as_posix(): path.read_text() for path in WEB.rglob("*.js")}
    joined = join(page if whole else SOURCES)
    assert joined.files["core.js"].endswith("//# sourceMappingURL=core.js.map\n")
    (tmp_path / "core.js").write_text(joined.files["core.js"])
    (tmp_path / "core.js.map").write_text(joined.maps["core.js.map"])
    command = [node, "--input-type=module", "--eval", THROWS, tmp_path / "core.js", tmp_path / "core.js.map"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    pairs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(pairs) > (1000 if whole else 5)
    for joined_line, line in pairs:
        plain = re.sub(r"/\*\* @(?:type|import) [^*\n]*\*/ ?", "", line).removeprefix("export ")
        left_out = "" if "import(" in joined_line else plain.removeprefix(joined_line)
        assert left_out == "" or re.match(r" *// ", left_out), plain


def test_a_module_that_is_missing_is_named():
    with pytest.raises(UnknownShape, match=r"lib/c\.js is imported, but is not there"):
        join({path: text for path, text in SOURCES.items() if path != "lib/c.js"})


def test_all_modules_of_the_page_are_of_known_shapes():
    sources = {path.relative_to(WEB).as_posix(): path.read_text() for path in WEB.rglob("*.js")}
    joined = join(sources)
    assert "app.js" in joined.needs
    assert not any(
        "/**" in line and line.endswith("*/") for text in joined.files.values() for line in text.splitlines()
    )
