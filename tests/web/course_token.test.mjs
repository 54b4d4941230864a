/** The token of a personal link is found in what somebody pastes, and kept where a browser lets it be kept. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { courseToken, keepCourseToken, tokenIn, tokenOf } from "../../server/palio_server/web/lib/course_token.js";

class Store {
  kept = new Map();
  getItem = (name) => this.kept.get(name) ?? null;
  setItem = (name, value) => void this.kept.set(name, value);
  removeItem = (name) => void this.kept.delete(name);
}

const refusing = { getItem: no, setItem: no, removeItem: no };

function no() {
  throw new Error("not allowed here");
}

beforeEach(() => {
  globalThis.dispatchEvent = () => true;
  [globalThis.localStorage, globalThis.sessionStorage] = [new Store(), new Store()];
});

test("a link, its end and a bare token are the same", () => {
  assert.equal(tokenIn("palio_abcdefgh"), "palio_abcdefgh"); // of the staff
  for (const text of ["http://x/course/ai#course_abcdefgh", "#course_abcdefgh", " course_abcdefgh\n"]) assert.equal(tokenIn(text), "course_abcdefgh");
});

test("a token that an operator chose is taken where it is pasted, not from an address", () => {
  for (const text of ["correct/horse#battery", "abcdefgh-ijklmnop"]) assert.deepEqual([tokenIn(text), tokenOf(`#${text}`)], [text, ""]);
});

test("what is no token is not sent anywhere", () => {
  for (const text of ["", "#main", "#hand-in-error", "http://x/course/ai", "http://x/course/ai#main", "course abcdefgh", "short"]) assert.equal(tokenIn(text), "");
  for (const hash of ["", "#", "#main", "#/leaderboard/chexers", "#a-fragment-of-many-letters"]) assert.equal(tokenOf(hash), "");
  assert.equal(tokenOf("#course_abcdefgh"), "course_abcdefgh");
});

test("a student's is kept in the browser, the staff's in the tab, and each course has its own", () => {
  keepCourseToken("ai", "student-token");
  keepCourseToken("db", "staff-token", { tab: true });
  assert.deepEqual([courseToken("ai"), courseToken("db"), courseToken("other")], ["student-token", "staff-token", ""]);
  assert.deepEqual([localStorage.kept.size, sessionStorage.kept.size], [1, 1]);
  keepCourseToken("ai", "");
  assert.equal(courseToken("ai"), "");
});

test("where nothing may be kept it is there until the page is left", () => {
  [globalThis.localStorage, globalThis.sessionStorage] = [refusing, refusing];
  keepCourseToken("ai", "student-token");
  assert.equal(courseToken("ai"), "student-token");
  keepCourseToken("ai", "");
  assert.equal(courseToken("ai"), "");
});
