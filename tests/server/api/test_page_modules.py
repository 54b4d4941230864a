"""Joining the page's modules: what is joined does what the modules did, and a strange shape is refused."""

import subprocess

import pytest

from palio_server.api.page_joiner import UnknownShape, join
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


@pytest.mark.node
def test_functions_that_need_each_other_find_each_other(node, tmp_path):
    even = 'import { odd as other } from "./b.js";\nexport const even = (n) => n === 0 || other(n - 1);\n'
    odd = 'import { even } from "./a.js";\nexport const odd = (n) => n !== 0 && even(n - 1);\n'
    app = 'import { even } from "./lib/a.js";\nexport const start = () => even(10);\n'
    joined = join({"app.js": app, "lib/a.js": even, "lib/b.js": odd})
    (tmp_path / "core.mjs").write_text(joined.files["core.js"])
    code = "const core = await import(process.argv[1]); console.log(core.app.start());"
    command = [node, "--input-type=module", "--eval", code, str(tmp_path / "core.mjs")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("true\n", "")


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
