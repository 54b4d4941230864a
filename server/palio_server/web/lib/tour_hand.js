/**
 * A tour made by hand: cities in order, one after the other, then better by taking a city or a step to another place.
 *
 * @typedef {{x: number, y: number}} Point
 */

/** @import { Scene } from "../types/wire.js" */

import { centre, readMark } from "./scene.js";

/**
 * The cities' places in the picture, by number.
 *
 * @param {Scene} scene
 * @returns {Point[]}
 */
export function cities(scene) {
  return scene.marks.map((mark) => centre(scene.board, readMark(mark)));
}

/**
 * Touch a city: it comes next; the last one is taken back.
 *
 * @param {number[]} order
 * @param {number} city
 */
export function visit(order, city) {
  if (order.at(-1) === city) return order.slice(0, -1);
  return order.includes(city) ? order : [...order, city];
}

/**
 * How long the way is as it is drawn, closed if all cities are in it.
 *
 * @param {number[]} order
 * @param {Point[]} points
 */
export function length(order, points) {
  return steps(order, points.length).reduce((sum, [from, to]) => sum + distance(points[from], points[to]), 0);
}

/**
 * The steps of a way: from city to city, and home if it is closed.
 *
 * @param {number[]} order
 * @param {number} size  cities in all
 * @returns {[number, number][]}
 */
export function steps(order, size) {
  const closed = order.length === size && size > 2;
  const count = closed ? order.length : Math.max(0, order.length - 1);
  return Array.from({ length: count }, (_, i) => [order[i], order[(i + 1) % order.length]]);
}

/**
 * Take `city` out and put it into step number `at` (of the order as it is).
 *
 * @param {number[]} order
 * @param {number} city
 * @param {number} at
 */
export function insert(order, city, at) {
  const from = order[at];
  const to = order[(at + 1) % order.length];
  if (city === from || city === to) return order;
  const rest = order.filter((other) => other !== city);
  const place = rest.indexOf(from) + 1;
  return [...rest.slice(0, place), city, ...rest.slice(place)];
}

/**
 * Exchange two steps for the two others that make a tour again (2-opt): what lies between is gone the other way round.
 *
 * @param {number[]} order
 * @param {number} one
 * @param {number} other
 */
export function exchange(order, one, other) {
  const [first, last] = one < other ? [one, other] : [other, one];
  return [...order.slice(0, first + 1), ...order.slice(first + 1, last + 1).reverse(), ...order.slice(last + 1)];
}

/**
 * Put `city` beside `other`, on the side where the way is shorter.
 *
 * @param {number[]} order
 * @param {number} city
 * @param {number} other
 * @param {Point[]} points
 */
export function beside(order, city, other, points) {
  const rest = order.filter((each) => each !== city);
  const place = rest.indexOf(other);
  const before = [...rest.slice(0, place), city, ...rest.slice(place)];
  const after = [...rest.slice(0, place + 1), city, ...rest.slice(place + 1)];
  return length(before, points) < length(after, points) ? before : after;
}

/**
 * The rest of the way by the nearest neighbour.
 *
 * @param {number[]} order
 * @param {Point[]} points
 */
export function complete(order, points) {
  const way = order.length ? [...order] : [0];
  const left = new Set(points.keys());
  for (const city of way) left.delete(city);
  while (left.size) {
    const here = points[/** @type {number} */ (way.at(-1))];
    const next = [...left].reduce((best, city) => (distance(points[city], here) < distance(points[best], here) ? city : best));
    left.delete(next);
    way.push(next);
  }
  return way;
}

/**
 * The city nearest to a point, within some distance; null if none.
 *
 * @param {Point[]} points
 * @param {Point} point
 * @param {number} within
 */
export function cityAt(points, point, within) {
  const found = nearest([...points.keys()], (city) => distance(points[city], point));
  return found !== null && distance(points[found], point) <= within ? found : null;
}

/**
 * The number of the step nearest to a point, within some distance; null if none.
 *
 * @param {number[]} order
 * @param {Point[]} points
 * @param {Point} point
 * @param {number} within
 */
export function stepAt(order, points, point, within) {
  const all = steps(order, points.length);
  const off = (/** @type {number} */ at) => toLine(point, points[all[at][0]], points[all[at][1]]);
  const found = nearest([...all.keys()], off);
  return found !== null && off(found) <= within ? found : null;
}

/** @type {Record<string, Point>} */
const WAYS = { ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 }, ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 } };

/**
 * The city that an arrow leads to: the nearest one that lies more in its direction than aside; null where none does.
 *
 * @param {Point[]} points
 * @param {number} from
 * @param {string} key
 */
export function toward(points, from, key) {
  const way = WAYS[key];
  if (!way) return null;
  const ahead = [...points.keys()].filter((city) => {
    const [dx, dy] = [points[city].x - points[from].x, points[city].y - points[from].y];
    const along = dx * way.x + dy * way.y;
    return along > 0 && along >= Math.abs(dx * way.y - dy * way.x);
  });
  return nearest(ahead, (city) => distance(points[city], points[from]));
}

/**
 * The order in which a scene's path goes through the cities; none if it does not name each once.
 *
 * @param {Scene} scene
 * @returns {number[]}
 */
export function ordered({ marks, path = [] }) {
  const left = new Set(marks.keys());
  const order = path.flatMap(([row, col]) => {
    const found = [...left].find((city) => marks[city][2] === row && marks[city][3] === col);
    if (found === undefined) return [];
    left.delete(found);
    return [found];
  });
  return left.size ? [] : order;
}

/**
 * @param {Point} a
 * @param {Point} b
 */
export function distance(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/**
 * @param {Point} point
 * @param {Point} from
 * @param {Point} to
 */
function toLine(point, from, to) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const along = dx || dy ? ((point.x - from.x) * dx + (point.y - from.y) * dy) / (dx * dx + dy * dy) : 0;
  const part = Math.min(1, Math.max(0, along));
  return distance(point, { x: from.x + part * dx, y: from.y + part * dy });
}

/**
 * @param {number[]} numbers
 * @param {(number: number) => number} measure
 * @returns {number|null}
 */
function nearest(numbers, measure) {
  return numbers.reduce((/** @type {number|null} */ best, each) => (best === null || measure(each) < measure(best) ? each : best), null);
}
