/** A course in words and figures. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../../server/palio_server/web/lib/course_words.js";

const NOW = "2027-02-12T12:00:00Z";

test("a date is one of the course's time zone", () => {
  assert.equal(words.dateIn("2027-02-15T22:59:00Z", "Europe/Rome", NOW), "Mon 15 Feb, 23:59");
  assert.equal(words.dateIn("2027-02-15T23:01:00Z", "Europe/Rome", NOW), "Tue 16 Feb, 00:01");
  assert.equal(words.dateIn("2026-02-15T23:01:00Z", "UTC", NOW), "Sun 15 Feb 2026, 23:01");
});

test("points have two decimals at most, and no more than they need", () => {
  assert.deepEqual([7, 7.5, 20 / 3].map(words.figure), ["7", "7.5", "6.67"]);
  assert.equal(words.ofPoints(0.5, 1), "0.5 of 1 point");
  assert.equal(words.ofPoints(3, 10), "3 of 10 points");
  assert.equal(words.ofPoints(13, 8), "8 of 8 points + 5 extra");
  assert.equal(words.ofPoints(2 / 3, 0), "0 of 0 points + 0.67 extra");
  assert.equal(words.ofPoints(5.000001, 5), "5 of 5 points");
});

test("extra points count for the sum, not for what can be reached", () => {
  const parts = [
    { points: 3, max_points: 5, extra: false },
    { points: 2, max_points: 2, extra: true },
    { points: -1, max_points: 0, extra: false },
  ];
  assert.deepEqual(words.total(parts), { points: 4, most: 5 });
});

test("a part went well, partly, badly, or took points off", () => {
  const went = (points, max_points) => words.howItWent({ points, max_points });
  assert.deepEqual([went(5, 5), went(2, 5), went(0, 5), went(-1, 0), went(0, 0)], ["all", "some", "none", "taken", "all"]);
});

test("open assignments come first by their due date, past ones last, the newest of them first", () => {
  const each = (name, state, due, opens = due) => ({ name, state, due, opens });
  const all = [each("past", "closed", "2027-01-01"), each("later", "open", "2027-03-01"), each("newer", "closed", "2027-02-01"), each("next", "not open", "2027-04-01"), each("late", "late", "2027-02-10")];
  assert.deepEqual(words.byUrgency(all).map(({ name }) => name), ["late", "later", "next", "newer", "past"]);
});

test("what time is left is said by the state, and what a late day costs", () => {
  const said = (state, free = 0) => words.timeWords({ state, due_in: "due in 3 days", penalty: 0.1 }, free);
  assert.equal(said("open"), "due in 3 days");
  assert.equal(said("closed"), "closed");
  assert.equal(said("not open"), "not open yet");
  assert.equal(said("late"), "due in 3 days, 10 % off a day");
  assert.equal(said("late", 2), "due in 3 days, a free late day is used");
});

test("a check is asked for every two seconds at first, and never more often", () => {
  const waits = [0, 30_000, 60_000, 300_000, 3_600_000].map(words.pollAfter);
  assert.deepEqual(waits, [2000, 2000, 5000, 5000, 15_000]);
});

const ROSTER = [
  { id: "1", name: "Ann", email: "ann@x.edu", team: "" },
  { id: "2", name: "Bob", email: "", team: "t" },
  { id: "3", name: "Cy", email: "cy@x.edu", team: "t" },
];
const ROWS = [
  { student: "1", name: "Ann", current: true, status: "checked", late_days: 1, broken: "", failed: ["one", "two"] },
  { student: "2", name: "Bob", current: true, status: "broken", late_days: 0, broken: "bot.py, line 1", failed: ["two"] },
  { student: "1", name: "Ann", current: false, status: "checked", late_days: 0, broken: "", failed: ["three"] },
  { student: "gone", name: "", current: true, status: "checked", late_days: 0, broken: "", failed: ["one"] },
];

test("the tests that cost most students points come first, with the whole team of each", () => {
  const found = words.failingTests(ROWS, ROSTER);
  assert.deepEqual(found.map(({ name, students }) => [name, students.map(({ id }) => id)]), [["two", ["1", "2", "3"]], ["one", ["1"]]]);
  assert.equal(words.addresses(found[0].students), "ann@x.edu, cy@x.edu");
});

test("submissions are found by a student, a test or an error, and by status", () => {
  const found = (text, status = "") => words.filtered(ROWS, text, status).map(({ student }) => student);
  assert.deepEqual(found("ANN two"), ["1"]);
  assert.deepEqual(found("line 1"), ["2"]);
  assert.deepEqual(found("", "broken"), ["2"]);
  assert.deepEqual(found("", "late"), ["1"]);
  assert.equal(found("nobody").length, 0);
});

test("the highest bar has height 1, and a distribution of nobody has none", () => {
  assert.deepEqual(words.bars({ edges: [0, 5, 10], counts: [1, 4] }), [
    { from: 0, to: 5, count: 1, height: 0.25 },
    { from: 5, to: 10, count: 4, height: 1 },
  ]);
  assert.deepEqual(words.bars({ edges: [0, 10], counts: [0] }).map(({ height }) => height), [0]);
});

test("a game is named by its title, whatever its options", () => {
  assert.equal(words.gameTitle([{ name: "rush_hour", title: "Rush Hour" }], "rush_hour:rows=6"), "Rush Hour");
  assert.equal(words.gameTitle([], "rush_hour"), "rush hour");
});
