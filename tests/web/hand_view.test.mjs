/** What lies over a board fits it, and the pointer is where the picture has it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { asView, inPicture, shape } from "../../server/palio_server/web/lib/hand_view.js";
import { frame } from "../../server/palio_server/web/lib/scene.js";

const SCENE = { board: "plain", rows: 2, cols: 4, marks: [] };

test("the shape is that of the picture", () => {
  const { width, height } = frame(SCENE);
  assert.deepEqual(shape(SCENE), { style: { "--ratio": String(Math.round((width / height) * 1000) / 1000) } });
});

test("a pointer on the board is a place in the picture", () => {
  const { x, y, width, height } = frame(SCENE);
  const currentTarget = { getBoundingClientRect: () => ({ left: 10, top: 20, width: width / 2, height: height / 2 }) };
  const middle = inPicture(SCENE, { clientX: 10 + width / 4, clientY: 20 + height / 4, currentTarget });
  const corner = { clientX: 10, clientY: 20, currentTarget };
  assert.deepEqual(inPicture(SCENE, corner), { x, y });
  assert.deepEqual(inPicture(SCENE, corner, true), { x: x + width, y: y + height });
  assert.deepEqual(middle, { x: Math.round(x + width / 2), y: Math.round(y + height / 2) });
});

test("a position is drawn as a view is", () => {
  const view = asView({ text: "t", scene: SCENE, to_move: 1 });
  assert.deepEqual([view.text, view.scene, view.to_move], ["t", SCENE, 1]);
});
