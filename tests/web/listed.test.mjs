/** Lists of numbers as people have them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { listOf } from "../../server/palio_server/web/lib/listed.js";

test("a line of two numbers is a point, whatever stands between them", () => {
  for (const text of ["0 0\n3 4", " 0, 0 ;\n3,4\n\n", "0\t0\r\n3\t4"]) assert.equal(listOf(text), "[[0,0],[3,4]]");
});

test("a file of TSPLIB has numbers of the cities before their places, and words around them", () => {
  const file = "NAME: three\nDIMENSION: 3\nNODE_COORD_SECTION\n1 0.0 0.5\n2 30 40\n3 6e1 0\nEOF\n";
  assert.equal(listOf(file), "[[0,0.5],[30,40],[60,0]]");
});

test("one number a line is a list of distances", () => assert.equal(listOf("5\n4\n3"), "[5,4,3]"));

test("what is JSON, or nothing, or no list at all stays for the server to judge", () => {
  for (const text of ["", "[[1,2]]", "somewhere"]) assert.equal(listOf(` ${text} `), text);
});
