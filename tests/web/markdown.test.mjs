/** Rules are read as they are written. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { blocks, spans } from "../../server/palio_server/web/lib/markdown.js";

test("code, bold and links are parts of a line", () => {
  assert.deepEqual(spans("play `a*b` **now**, see [the web](https://example.org)."), [
    { kind: "text", text: "play " },
    { kind: "code", text: "a*b" },
    { kind: "text", text: " " },
    { kind: "bold", text: "now" },
    { kind: "text", text: ", see " },
    { kind: "link", text: "the web", href: "https://example.org" },
    { kind: "text", text: "." },
  ]);
});

test("of a link that leads to a file, or to a script, the words are kept", () => {
  assert.deepEqual(spans("[`x.py`](../x.py)"), [{ kind: "code", text: "x.py" }]);
  assert.deepEqual(spans("[x](javascript:alert)"), [{ kind: "text", text: "x" }]);
});

test("paragraphs, lists and tables are blocks", () => {
  const found = blocks("One\ntwo.\n\n- a\n  b\n- c\n\n| x | |\n|---|---|\n| `1` | 2 |\n");
  assert.deepEqual(found.map(({ kind }) => kind), ["paragraph", "list", "table"]);
  assert.deepEqual(found[0].spans, [{ kind: "text", text: "One two." }]);
  assert.deepEqual(found[1].items.map(([{ text }]) => text), ["a b", "c"]);
  assert.deepEqual(found[2].rows, [[[{ kind: "code", text: "1" }], [{ kind: "text", text: "2" }]]]);
  assert.equal(found[2].head[1].length, 0);
});

test("markup in a text is text", () => {
  assert.deepEqual(spans("<b>x</b>"), [{ kind: "text", text: "<b>x</b>" }]);
});
