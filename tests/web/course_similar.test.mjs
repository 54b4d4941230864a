/** Lines of two submissions that are alike have one colour on both sides. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { alikeLines } from "../../server/palio_server/web/lib/course_similar.js";

const PAIR = {
  lines: [
    { file: "a.py", lines: [2, 3], other_file: "b.py", other_lines: [10, 11] },
    { file: "a.py", lines: [7, 7], other_file: "c.py", other_lines: [1, 1] },
  ],
};

test("each block has a colour, the same one on both sides", () => {
  assert.deepEqual([...alikeLines(PAIR, 0, "a.py")], [[2, 0], [3, 0], [7, 1]]);
  assert.deepEqual([...alikeLines(PAIR, 1, "b.py")], [[10, 0], [11, 0]]);
  assert.deepEqual([...alikeLines(PAIR, 1, "c.py")], [[1, 1]]);
});

test("a file of its own has nothing alike", () => {
  assert.equal(alikeLines(PAIR, 0, "other.py").size, 0);
});

test("the colours come again after the fourth", () => {
  const lines = Array.from({ length: 5 }, (_, i) => ({ file: "a", lines: [i + 1, i + 1], other_file: "b", other_lines: [1, 1] }));
  assert.deepEqual([...alikeLines({ lines }, 0, "a").values()], [0, 1, 2, 3, 0]);
});
