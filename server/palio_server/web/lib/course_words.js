/** A course in words and figures: dates in its zone, points, states; what its staff reads off a list of submissions. */

/** @import { AssignmentItem, Distribution, GameItem, PartItem, RosterItem, StaffSubmission } from "../types/wire.js" */

import { plain } from "./codes.js";

/** @type {Record<string, string>} */
export const STATUS = {
  waiting: "waiting for its check",
  checking: "being checked",
  checked: "checked",
  broken: "cannot run",
  "too late": "too late",
};

/**
 * Where a submission stands in the line of checks, and when its check may begin.
 *
 * @param {number | null} place  from 1
 * @param {number | null} begins  seconds from now
 */
export function placeWords(place, begins) {
  if (!place) return "";
  const soon = begins === null || begins < 60 ? "it begins within a minute" : `it begins in about ${many(Math.round(begins / 60), "minute")}`;
  return `, number ${place} in the line; ${soon}`;
}

const POLLS = [
  [60_000, 2_000],
  [600_000, 5_000],
]; // [milliseconds since the first question, until the next one]
const SELDOM_MS = 15_000;

/**
 * Until a check is asked for again that has been waited for so long: often at first, seldom in a long queue.
 *
 * @param {number} waited  milliseconds
 */
export function pollAfter(waited) {
  return POLLS.find(([until]) => waited < until)?.[1] ?? SELDOM_MS;
}

/**
 * "Mon 15 Feb, 23:59", in the course's time zone; the year where it is another one.
 *
 * @param {string} iso
 * @param {string} zone
 * @param {string} now
 */
export function dateIn(iso, zone, now) {
  const date = new Date(iso);
  const year = iso.slice(0, 4) === now.slice(0, 4) ? undefined : "numeric";
  const day = date.toLocaleDateString("en-GB", { timeZone: zone, weekday: "short", day: "numeric", month: "short", year });
  return `${day.replace(",", "")}, ${date.toLocaleTimeString("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" })}`;
}

/**
 * "7", "7.5", "6.67".
 *
 * @param {number} points
 */
export function figure(points) {
  return String(Number(points.toFixed(2)));
}

/**
 * "7.5 of 10 points"; "10 of 10 points + 2 extra" where extra points lead beyond all.
 *
 * @param {number} points
 * @param {number} most
 */
export function ofPoints(points, most) {
  const beyond = figure(Math.max(0, points - most));
  return `${figure(Math.min(points, most))} of ${figure(most)} ${most === 1 ? "point" : "points"}${beyond === "0" ? "" : ` + ${beyond} extra`}`;
}

/**
 * "1 day", "3 days".
 *
 * @param {number} count
 * @param {string} one
 */
export function many(count, one) {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/**
 * The points that the shown parts add up to; extra points add to the first figure only.
 *
 * @param {PartItem[]} parts
 */
export function total(parts) {
  const points = parts.reduce((sum, part) => sum + part.points, 0);
  const most = parts.reduce((sum, part) => sum + (part.extra ? 0 : part.max_points), 0);
  return { points, most };
}

/**
 * How a part went: all points, some, none, or points taken off.
 *
 * @param {Pick<PartItem, "points"|"max_points">} part
 * @returns {"all"|"some"|"none"|"taken"}
 */
export function howItWent({ points, max_points: most }) {
  if (points < 0) return "taken";
  if (points >= most) return "all";
  return points > 0 ? "some" : "none";
}

/**
 * The assignments as a student looks for them: open ones by their due date, then those to come, then the newest past.
 *
 * @template {Pick<AssignmentItem, "state"|"due"|"opens">} A
 * @param {A[]} assignments
 * @returns {A[]}
 */
export function byUrgency(assignments) {
  const of = (/** @type {AssignmentItem["state"][]} */ ...states) => assignments.filter(({ state }) => states.includes(state));
  const order = (/** @type {string} */ one, /** @type {string} */ other) => Date.parse(one) - Date.parse(other);
  return [
    ...of("open", "late").sort((one, other) => order(one.due, other.due)),
    ...of("not open").sort((one, other) => order(one.opens, other.opens)),
    ...of("closed").sort((one, other) => order(other.due, one.due)),
  ];
}

/**
 * The title of a game, which an assignment may name with its options: "rush_hour:rows=6".
 *
 * @param {GameItem[]} games
 * @param {string} game
 */
export function gameTitle(games, game) {
  const [name] = game.split(":");
  return games.find((each) => each.name === name)?.title ?? plain(name);
}

/**
 * What a student is told of an assignment's time: "due in 3 days", "late, 10 % off", "closed".
 *
 * @param {Pick<AssignmentItem, "state"|"due_in"|"penalty">} assignment
 * @param {number} free  late days without penalty that are left
 */
export function timeWords({ state, due_in: due, penalty }, free) {
  if (state === "not open") return "not open yet";
  if (state === "closed") return "closed";
  if (state === "open") return due;
  return free > 0 ? `${due}, a free late day is used` : `${due}, ${Math.round(penalty * 100)} % off a day`;
}

/**
 * The tests that cost points, the worst first, with the students who lost some by each and their addresses.
 *
 * @param {StaffSubmission[]} submissions
 * @param {RosterItem[]} roster
 * @returns {{name: string, students: RosterItem[]}[]}
 */
export function failingTests(submissions, roster) {
  const byId = new Map(roster.map((student) => [student.id, student]));
  /** @type {Map<string, Set<RosterItem>>} */
  const found = new Map();
  for (const { student: id, failed, current } of submissions) {
    const student = byId.get(id);
    if (!student || !current) continue;
    const whole = student.team ? roster.filter(({ team }) => team === student.team) : [student];
    for (const name of failed) found.set(name, new Set([...(found.get(name) ?? []), ...whole]));
  }
  const tests = [...found].map(([name, students]) => ({ name, students: [...students] }));
  return tests.sort((one, other) => other.students.length - one.students.length || one.name.localeCompare(other.name));
}

/**
 * The addresses of students, as a mail program's field takes them.
 *
 * @param {RosterItem[]} students
 */
export function addresses(students) {
  return students.map(({ email }) => email).filter(Boolean).join(", ");
}

/**
 * Submissions that fit a search and a status.
 *
 * @param {StaffSubmission[]} submissions
 * @param {string} text
 * @param {string} status  "" for all; "late" for those with late days
 */
export function filtered(submissions, text, status) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return submissions.filter((each) => {
    const said = `${each.name} ${each.student} ${each.broken} ${each.failed.join(" ")}`.toLowerCase();
    const fits = !status || (status === "late" ? each.late_days > 0 : each.status === status);
    return fits && words.every((word) => said.includes(word));
  });
}

/**
 * A distribution as bars: where each begins and ends, and how high it is, 0 to 1.
 *
 * @param {Pick<Distribution, "edges"|"counts">} distribution
 */
export function bars({ edges, counts }) {
  const most = Math.max(1, ...counts);
  return counts.map((count, i) => ({ from: edges[i], to: edges[i + 1], count, height: count / most }));
}
