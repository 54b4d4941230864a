/**
 * A tour made by hand: cities are touched in order, then the tour is made shorter by dragging a city or a step of it.
 * What is submitted is the whole tour, as often as one likes.
 */

/** @import { Scene } from "../types/wire.js" */
/** @import { HandProps } from "./hand_board.js" */
/** @import { Point } from "../lib/tour_hand.js" */

import { ApiError, post } from "../lib/api.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { frame } from "../lib/scene.js";
import { beside, cities, cityAt, complete, distance, exchange, insert, length, ordered, stepAt, steps, toward, visit } from "../lib/tour_hand.js";
import { Board } from "./board.js";
import { asView, shape } from "./hand_board.js";
import { inPicture } from "./hand_grid.js";

const REACH = 0.045; // of the board's width: so near to a city or a step a finger means it
const SLOP = 6; // pixels

/** @typedef {{from: {city: number|null, step: number|null}, x: number, y: number, moved: boolean, at: Point}} Drag */

/** @param {HandProps} props */
export function TourBoard({ game, position, view, before, seats, title, mine = false, entrant = null, order: advised = null, onMove, turn = "", children }) {
  const drawn = view ?? asView(position);
  const scene = /** @type {Scene} */ (drawn.scene ?? position.scene);
  const points = useMemo(() => cities(scene), [position.state.length, scene.marks.length]);
  const [order, setOrder] = useState(() => ordered(scene));
  const [cursor, setCursor] = useState(0);
  const [keyed, setKeyed] = useState(false);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    if (advised) setOrder(advised);
  }, [advised]);
  const root = useRef(/** @type {HTMLElement|null} */ (null));
  const change = (/** @type {number[]} */ next) => {
    setRefused("");
    setOrder(next);
  };
  const { drag, ...pointer } = useTourDrag({ scene, points, order, change: mine ? change : () => {}, enter: (city) => go(city, false) });
  const box = frame(scene);
  const done = order.length === points.length;
  const best = ordered(scene);

  /** @param {number} city @param {boolean} byKey */
  function go(city, byKey) {
    setCursor(city);
    setKeyed(byKey);
    const element = root.current?.querySelector(`[data-city="${city}"]`);
    if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  }
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key.startsWith("Arrow")) go(toward(points, cursor, event.key) ?? cursor, true);
    else if ((event.key === "Enter" || event.key === " ") && mine) change(visit(order, cursor));
    else if ((event.key === "Backspace" || event.key === "Escape") && mine) change(order.slice(0, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const submit = async () => {
    try {
      const { meant } = await post(`games/${encodeURIComponent(game)}/position`, { state: position.state, order });
      if (meant && !meant.refused) onMove(meant.move, meant.notation);
      else setRefused(meant?.refused ?? "the rules make no tour of it");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setRefused(error.message);
    }
  };
  const line = (/** @type {[number, number]} */ [from, to]) => `M${points[from].x} ${points[from].y}L${points[to].x} ${points[to].y}`;
  return html`
    <div class="hand">
      <div class="hand-board" style=${shape(scene)} data-mine=${mine ? "" : null}>
        <div class="hand-under" aria-hidden="true"><${Board} view=${{ ...drawn, scene }} before=${before} seats=${seats} title=${title} entrant=${entrant} /></div>
        <div class="hand-grid tour-grid" role="group" aria-label=${`${title}, cities`} ref=${root} onKeyDown=${onKeyDown} onFocusIn=${(/** @type {FocusEvent} */ event) => event.target instanceof Element && setKeyed(event.target.matches(":focus-visible"))} onFocusOut=${() => setKeyed(false)} ...${pointer}>
          <svg class="hand-marks" viewBox=${`${box.x} ${box.y} ${box.width} ${box.height}`} aria-hidden="true">
            <path class="own-way" d=${steps(order, points.length).map(line).join("")} />
            ${order.length > 0 && !done && html`<circle class="tour-end" cx=${points[order[order.length - 1]].x} cy=${points[order[order.length - 1]].y} r=${box.width * 0.024} />`}
            ${drag?.moved && html`<path class="own-drag" d=${pulled(drag, order, points)} />`}
            ${keyed && html`<circle class="cursor" cx=${points[cursor].x} cy=${points[cursor].y} r=${box.width * 0.03} />`}
          </svg>
          ${points.map(
            (point, city) => html`
              <button
                key=${city}
                type="button"
                class="city"
                data-city=${city}
                data-state=${order.includes(city) ? "in" : "out"}
                tabindex=${city === cursor ? "0" : "-1"}
                aria-label=${cityWords(city, order)}
                aria-pressed=${order.includes(city) ? "true" : "false"}
                style=${{ left: `${(100 * (point.x - box.x)) / box.width}%`, top: `${(100 * (point.y - box.y)) / box.height}%` }}
                onClick=${(/** @type {MouseEvent} */ event) => event.detail === 0 && mine && change(visit(order, city))}
              ></button>
            `,
          )}
        </div>
      </div>
      ${children}
      <p class="hand-word" role="status">${turn} ${progress(order, points, best)}</p>
      ${
        mine &&
        html`
          <p class="hand-named">
            <button type="button" class="primary" disabled=${!done} onClick=${submit}>Submit the tour</button>
            <button type="button" disabled=${done} onClick=${() => change(complete(order, points))}>Go on to the nearest</button>
            <button type="button" disabled=${!order.length} onClick=${() => change([])}>Start again</button>
          </p>
        `
      }
      <div class="hand-refused" role="alert">${refused && html`<p><strong>Not a legal move:</strong> ${refused}.</p>`}</div>
    </div>
  `;
}

/**
 * @param {number} city
 * @param {number[]} order
 */
function cityWords(city, order) {
  const at = order.indexOf(city);
  return at < 0 ? `city ${city}, not in the tour yet` : `city ${city}, number ${at + 1} of the tour`;
}

/**
 * How far the tour is, and how it compares with the best one submitted.
 *
 * @param {number[]} order
 * @param {Point[]} points
 * @param {number[]} best
 */
function progress(order, points, best) {
  if (order.length < points.length) return `${order.length} of ${points.length} cities are in the tour.`;
  if (!best.length) return "The tour is closed; submit it, or drag a city or a step of it.";
  const [own, old] = [length(order, points), length(best, points)];
  const gap = Math.abs((100 * (own - old)) / old);
  if (gap < 0.05) return "The tour is as long as your best one; drag a city or a step of it.";
  return `As drawn, the tour is ${gap.toFixed(1)} % ${own < old ? "shorter" : "longer"} than your best one.`;
}

/**
 * What a drag would make, as lines from the ends to the pointer.
 *
 * @param {Drag} drag
 * @param {number[]} order
 * @param {Point[]} points
 */
function pulled({ from, at }, order, points) {
  const ends = from.city === null ? steps(order, points.length)[from.step ?? 0] : [from.city];
  return (ends ?? []).map((city) => `M${points[city].x} ${points[city].y}L${at.x} ${at.y}`).join("");
}

/**
 * Pressing, dragging and letting go. A press without a drag touches a city. A step that is dragged onto a city takes it
 * in, onto another step exchanges both; a city that is dragged goes into a step, or beside another city.
 *
 * @param {{scene: Scene, points: Point[], order: number[], change: (order: number[]) => void, enter: (city: number) => void}} plan
 */
function useTourDrag({ scene, points, order, change, enter }) {
  const [drag, setDrag] = useState(/** @type {Drag|null} */ (null));
  const reach = frame(scene).width * REACH;
  const onPointerDown = (/** @type {PointerEvent & {currentTarget: HTMLElement}} */ event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    event.preventDefault();
    const at = inPicture(scene, event);
    const city = cityAt(points, at, reach);
    const step = city === null ? stepAt(order, points, at, reach) : null;
    if (city !== null) enter(city);
    if (city === null && step === null) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: { city, step }, x: event.clientX, y: event.clientY, moved: false, at });
  };
  const onPointerMove = (/** @type {PointerEvent & {currentTarget: HTMLElement}} */ event) => {
    if (!drag) return;
    const moved = drag.moved || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= SLOP;
    if (moved) setDrag({ ...drag, moved, at: inPicture(scene, event) });
  };
  const onPointerUp = (/** @type {PointerEvent & {currentTarget: HTMLElement}} */ event) => {
    if (!drag) return;
    setDrag(null);
    change(dropped(drag, inPicture(scene, event), order, points, reach));
  };
  return { drag, onPointerDown, onPointerMove, onPointerUp, onPointerCancel: () => setDrag(null) };
}

/**
 * The order after a drag has ended at `at`.
 *
 * @param {Drag} drag
 * @param {Point} at
 * @param {number[]} order
 * @param {Point[]} points
 * @param {number} reach
 */
function dropped({ from, moved }, at, order, points, reach) {
  const { city, step } = from;
  if (city !== null && (!moved || distance(points[city], at) < reach)) return visit(order, city);
  const onto = cityAt(points, at, reach);
  if (city !== null) {
    if (!order.includes(city)) return onto === null ? order : visit(order, onto);
    if (onto !== null) return order.includes(onto) ? beside(order, city, onto, points) : order;
    const into = stepAt(order, points, at, reach);
    return into === null ? order : insert(order, city, into);
  }
  if (step === null || !moved) return order;
  if (onto !== null) return insert(order, onto, step);
  const other = stepAt(order, points, at, reach);
  return other === null || other === step ? order : exchange(order, step, other);
}
