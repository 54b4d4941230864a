/** Files that are chosen or dropped. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, fromChooser, fromDrop, joined, tooLarge } from "../../server/palio_server/web/lib/course_files.js";

const file = (name, path = "") => ({ name, size: 10, webkitRelativePath: path });
const names = (chosen) => chosen.map(({ name }) => name);

/** An entry of a file system, whose folders are told two at a time. */
function entry(name, inner = null) {
  if (!inner) return { name, isFile: true, isDirectory: false, file: (resolve) => resolve(file(name)) };
  const left = [...inner];
  return { name, isFile: false, isDirectory: true, createReader: () => ({ readEntries: (resolve) => resolve(left.splice(0, 2)) }) };
}

const dropped = (...entries) => ({ items: entries.map((each) => ({ webkitGetAsEntry: () => each })), files: entries.map(({ name }) => file(name)) });

test("of a chosen folder, what caches and editors left is left out; a chosen file is always taken", () => {
  const folder = [file("a.py", "bot/a.py"), file("a.pyc", "bot/__pycache__/a.pyc"), file("config", "bot/.git/config"), file("b.py", "bot/in/b.py")];
  assert.deepEqual(names(fromChooser(folder)), ["bot/a.py", "bot/in/b.py"]);
  assert.deepEqual(names(fromChooser([file(".hidden")])), [".hidden"]);
});

test("a dropped folder is read to its end, with the paths within it", async () => {
  const found = await fromDrop(dropped(entry("bot", [entry("a.py"), entry("b.py"), entry("c.py"), entry(".git", [entry("x")]), entry("in", [entry("d.py")])])));
  assert.deepEqual(names(found), ["bot/a.py", "bot/b.py", "bot/c.py", "bot/in/d.py"]);
});

test("dropped files are taken as they are", async () => {
  assert.deepEqual(names(await fromDrop(dropped(entry("a.py"), entry("b.zip")))), ["a.py", "b.zip"]);
});

test("a wrong folder is refused before anything of it is sent", async () => {
  const many = Array.from({ length: 1001 }, (_, i) => entry(`${i}.py`));
  await assert.rejects(fromDrop(dropped(entry("home", many))), /more than 1000 files/);
});

test("a file that is chosen again takes the place of the former one", () => {
  const [one, other] = [{ name: "a.py", file: 1 }, { name: "b.py", file: 2 }];
  assert.deepEqual(joined([one, other], [{ name: "a.py", file: 3 }]), [other, { name: "a.py", file: 3 }]);
});

test("more than an assignment takes is not sent", () => {
  assert.equal(tooLarge([{ size: 1000 }], 1000), "");
  assert.match(tooLarge([{ size: 2_000_000 }, { size: 500_000 }], 1_000_000), /have 2.5 MB together; 1 MB are taken/);
});

test("sizes are said in the unit that fits", () => {
  assert.deepEqual([1, 812, 12_000, 999_499, 999_500, 1_500_000].map(bytes), ["1 byte", "812 bytes", "12 kB", "999 kB", "1 MB", "1.5 MB"]);
});
