/**
 * The cells of a board as a grid that hands, keys and screen readers use: one tab stop, arrows go over it, a piece can be
 * dragged. It is invisible; what it says with colours lies in it as a picture.
 */

/** @import { HandMove, Scene, SeatOf } from "../types/wire.js" */
/** @import { Cell } from "../lib/hand.js" */
/** @import { Mark } from "../lib/scene.js" */
/** @import { Renderable } from "../vendor/preact.js" */

import { cellKey, choices, held, open, takes, targets, touch } from "../lib/hand.js";
import { cellName, either, rowsOf, standing, step } from "../lib/hand_cells.js";
import { inPicture } from "../lib/hand_view.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { CELL, centre, frame, pieces } from "../lib/scene.js";
import { Shape } from "./marks.js";
import { seatClass } from "./seat.js";

const SLOP = 6; // pixels that a finger may tremble without dragging
const FINGER = 32; // pixels; a finger often misses smaller points, so that it touches them twice to play
const MOST = 6; // targets that a cell lists by name
const HEX_HEIGHT = (2 * CELL) / Math.sqrt(3);

/** @typedef {{cell: Cell, pointer: number, x: number, y: number, taken: boolean, lifted: boolean, moved: boolean, at: {x: number, y: number}|null}} Drag */

/**
 * @param {object} props
 * @param {Scene} props.scene
 * @param {SeatOf[]} props.seats
 * @param {string} props.title
 * @param {HandMove[]} props.moves  those that can be made; none while it is not one's turn
 * @param {Cell[]} props.touched
 * @param {(cell: Cell, dropped?: boolean) => void} props.onTouch  `dropped`: a piece was dragged there
 * @param {Cell|null} props.aimed  a small point that a finger has touched once
 * @param {(cell: Cell) => void} props.onAim
 * @param {() => void} props.letGo
 * @param {number|null} props.entrant
 * @param {Cell[][]|null} props.hint
 * @param {boolean} props.ahead  whether the moves are thought ahead
 * @param {boolean} props.undoes  whether one was, so that Escape takes it back
 * @param {boolean} props.flipped
 * @param {Renderable} [props.children]
 */
export function HandGrid({ scene, seats, title, moves, touched, onTouch, aimed, onAim, letGo, entrant, hint, ahead, undoes, flipped, children }) {
  const root = useRef(/** @type {HTMLElement|null} */ (null));
  const rows = useMemo(() => rowsOf(scene, flipped), [`${scene.board} ${scene.rows} ${scene.cols} ${flipped}`]);
  const [cursor, setCursor] = useState(/** @type {Cell|null} */ (null));
  const [keyed, setKeyed] = useState(false); // whether keys were used last: then the cursor shows
  const { drag, ...pointer } = useDrag({ scene, moves, touched, flipped, onTouch, aimed, onAim, enter: (cell) => go(cell, false) });
  const stop = cursor ?? first(moves) ?? rows.at(-1)?.cells[0] ?? [0, 0];
  const box = frame(scene);

  /** @param {Cell} cell @param {boolean} byKey */
  function go(cell, byKey) {
    setCursor(cell);
    setKeyed(byKey);
    const element = root.current?.querySelector(`[data-cell="${cellKey(cell)}"]`);
    if (element instanceof HTMLElement) element.focus({ preventScroll: !byKey });
  }
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const to = step(scene, stop, event.key, flipped);
    if (to || event.key.startsWith("Arrow")) go(to ?? stop, true);
    else if (event.key === "Enter" || event.key === " ") {
      setKeyed(true);
      onTouch(stop);
    } else if (event.key === "Escape" && (touched.length || aimed || undoes)) letGo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusIn = (/** @type {FocusEvent} */ { target }) => {
    if (!(target instanceof HTMLElement)) return;
    setKeyed(target.matches(":focus-visible"));
    const cell = cellOf(target);
    if (cell) setCursor(cell); // a screen reader goes its own ways
  };
  const labels = useLabels(scene, seats, moves, touched, ahead);
  const advised = new Map((hint ?? []).map((cells, index) => [cellKey(cells[0]), String(index + 1)]));
  const lifted = drag?.at ? pieces(scene).find((mark) => covers(mark, drag.cell)) : null;
  return html`
    <div
      class="hand-grid"
      role="grid"
      aria-label=${`${title}, board`}
      aria-rowcount=${rows.length}
      ref=${root}
      onKeyDown=${onKeyDown}
      onFocusIn=${onFocusIn}
      onFocusOut=${() => setKeyed(false)}
      ...${pointer}
    >
      ${rows.map(
        ({ row, cells }) => html`
          <div key=${row} role="row" class="hand-row">
            ${cells.map((cell) => {
              const key = cellKey(cell);
              const at = String(cell) === String(stop);
              const { label, state } = labels(cell);
              return html`
                <div
                  key=${key}
                  class="hand-cell"
                  role="gridcell"
                  data-cell=${key}
                  data-state=${state}
                  data-hint=${advised.get(key)}
                  aria-label=${advised.has(key) ? `${label}, advised` : label}
                  aria-selected=${state === "held" ? "true" : null}
                  tabindex=${at ? "0" : "-1"}
                  ...${place(scene, cell, box, flipped)}
                  onClick=${(/** @type {MouseEvent} */ event) => event.detail === 0 && onTouch(cell)}
                ></div>
              `;
            })}
          </div>
        `,
      )}
      ${children}
      <svg class="hand-cursor" data-flipped=${flipped ? "" : null} viewBox=${`${box.x} ${box.y} ${box.width} ${box.height}`} aria-hidden="true">
        ${keyed && html`<${Cursor} scene=${scene} cell=${stop} />`}
        ${drag && isLined(scene) && html`<${Aim} scene=${scene} cell=${drag.cell} />`}
        ${lifted && drag?.at && html`<g class=${`mark lifted ${lifted.shape} ${seatClass(seats, lifted.seat === null ? null : (entrant ?? lifted.seat))}`} transform=${`translate(${drag.at.x} ${drag.at.y})`}><${Shape} mark=${lifted} /></g>`}
      </svg>
    </div>
  `;
}

/** @param {{scene: Scene, cell: Cell}} props */
function Cursor({ scene, cell: [row, col] }) {
  const { x, y } = centre(scene.board, { row, col });
  if (scene.board === "hex") return html`<circle class="cursor" cx=${x} cy=${y} r="46" />`;
  return html`<rect class="cursor" x=${x - 46} y=${y - 46} width="92" height="92" rx="6" />`;
}

/**
 * The lines through the point under a finger, which hides it.
 *
 * @param {{scene: Scene, cell: Cell}} props
 */
function Aim({ scene, cell: [row, col] }) {
  const { x, y } = centre(scene.board, { row, col });
  return html`<path class="aim" d=${`M0 ${y}h${scene.cols * CELL}M${x} 0v${scene.rows * CELL}`} />`;
}

/** @param {Scene} scene */
function isLined({ board }) {
  return board === "lines";
}

/**
 * Pressing, dragging and letting go, as touches: a press takes a piece, letting go elsewhere is the second touch. On a
 * board with lines, whose points are small under a finger, the point where one lets go is touched; beside the board none.
 * Where points are smaller than a finger, its first touch only aims, and the second one on the same point plays.
 *
 * @param {{scene: Scene, moves: HandMove[], touched: Cell[], flipped: boolean, onTouch: (cell: Cell, dropped?: boolean) => void, aimed: Cell|null, onAim: (cell: Cell) => void, enter: (cell: Cell) => void}} plan
 */
function useDrag({ scene, moves, touched, flipped, onTouch, aimed, onAim, enter }) {
  const [drag, setDrag] = useState(/** @type {Drag|null} */ (null));
  const now = useRef(drag);
  const change = (/** @type {Drag|null} */ next) => {
    now.current = next;
    setDrag(next);
  };
  useEffect(() => change(null), [moves]);
  const onPointerDown = (/** @type {PointerEvent & {currentTarget: HTMLElement}} */ event) => {
    const cell = event.button === 0 && event.isPrimary ? cellAt(event) : null;
    if (!cell) return;
    event.preventDefault(); // no text is selected, no picture dragged
    enter(cell);
    event.currentTarget.setPointerCapture(event.pointerId);
    const taken = takes(moves, touched, cell);
    const lifted = taken || held(moves, touched).some((other) => String(other) === String(cell));
    change({ cell, pointer: event.pointerId, x: event.clientX, y: event.clientY, taken, lifted, moved: false, at: null });
    if (taken) onTouch(cell);
  };
  const onPointerMove = (/** @type {PointerEvent & {currentTarget: HTMLElement}} */ event) => {
    const begun = now.current;
    if (begun && isLined(scene) && event.pointerId === begun.pointer) {
      const cell = cellAt(event) ?? begun.cell;
      if (String(cell) !== String(begun.cell)) {
        enter(cell);
        change({ ...begun, cell });
      }
      return;
    }
    if (!begun?.lifted || event.pointerId !== begun.pointer) return;
    if (!begun.moved && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < SLOP) return;
    change({ ...begun, moved: true, at: inPicture(scene, event, flipped) });
  };
  const onPointerUp = (/** @type {PointerEvent} */ event) => {
    const begun = now.current;
    change(null);
    const cell = begun && event.pointerId === begun.pointer ? cellAt(event) : null;
    if (!begun || !cell) return;
    if (isLined(scene)) {
      const aims = isFine(event) && String(cell) !== String(aimed) && touch(moves, touched, cell).kind === "chosen";
      (aims ? onAim : onTouch)(cell);
    } else if (String(cell) !== String(begun.cell)) {
      if (begun.lifted) onTouch(cell, true);
    } else if (!begun.taken && !begun.moved) onTouch(cell);
  };
  return { drag, onPointerDown, onPointerMove, onPointerUp, onPointerCancel: () => change(null) };
}

/**
 * Whether a finger lies on a cell that is smaller than it.
 *
 * @param {PointerEvent} event
 */
function isFine(event) {
  const under = document.elementFromPoint(event.clientX, event.clientY);
  return event.pointerType === "touch" && under !== null && under.getBoundingClientRect().width < FINGER;
}

/**
 * @param {PointerEvent} event
 * @returns {Cell|null}
 */
function cellAt(event) {
  return cellOf(document.elementFromPoint(event.clientX, event.clientY));
}

/**
 * @param {Element|null} element
 * @returns {Cell|null}
 */
function cellOf(element) {
  const found = element?.closest("[data-cell]");
  if (!(found instanceof HTMLElement)) return null;
  const [row, col] = (found.dataset.cell ?? "").split(" ").map(Number);
  return [row, col];
}

/**
 * Where a cell lies, in parts of the board.
 *
 * @param {Scene} scene
 * @param {Cell} cell
 * @param {{x: number, y: number, width: number, height: number}} box
 * @param {boolean} flipped
 */
function place({ board }, [row, col], box, flipped) {
  const at = centre(board, { row, col });
  const { x, y } = flipped ? { x: 2 * box.x + box.width - at.x, y: 2 * box.y + box.height - at.y } : at;
  const [wide, high] = board === "hex" ? [CELL, HEX_HEIGHT] : [CELL, CELL];
  const part = (/** @type {number} */ length, /** @type {number} */ of) => `${Math.round((length / of) * 1e5) / 1e3}%`;
  const clip = board === "hex" ? { clipPath: "polygon(50% 0, 100% 25%, 100% 75%, 50% 100%, 0 75%, 0 25%)" } : {};
  const [left, top] = [part(x - wide / 2 - box.x, box.width), part(y - high / 2 - box.y, box.height)];
  return { style: { left, top, width: part(wide, box.width), height: part(high, box.height), ...clip } };
}

/**
 * What each cell says: "e2, white pawn, can go to d3 or e3".
 *
 * @param {Scene} scene
 * @param {SeatOf[]} seats
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 * @param {boolean} ahead
 */
function useLabels(scene, seats, moves, touched, ahead) {
  const stands = useMemo(() => standing(scene, seats), [scene, seats]);
  const ways = useMemo(() => leads(scene, moves), [scene, moves]);
  const goals = useMemo(() => targets(moves, touched), [moves, touched]);
  const chosen = useMemo(() => choices(moves, touched), [moves, touched]);
  const own = new Set(held(moves, touched).map(cellKey));
  return (/** @type {Cell} */ cell) => {
    const key = cellKey(cell);
    const what = `${cellName(scene, cell)}, ${stands.get(key) ?? "empty"}`;
    const can = ways.get(key);
    if (ahead) return { label: own.has(key) ? `${what}, picked` : can ? `${what}, can be moved ahead` : what, state: own.has(key) ? "held" : can ? "ahead" : null };
    if (!touched.length) return { label: can ? `${what}, ${can}` : what, state: can ? "source" : null };
    const goal = goals.get(key);
    if (chosen.has(key)) return { label: `${what}, chooses ${chosen.get(key)?.name}`, state: "target" };
    if (own.has(key)) return { label: `${what}, picked${goal ? ", touch again to leave the board" : ""}`, state: goal ? "held leaves" : "held" };
    if (goal) return { label: `${what}, ${goal.lands ? "can be gone to" : "can be next"}`, state: goal.lands ? "target" : "next" };
    return { label: what, state: can ? "source" : null };
  };
}

/**
 * Where one can go from each cell, in words.
 *
 * @param {Scene} scene
 * @param {HandMove[]} moves
 * @returns {Map<string, string>}
 */
function leads(scene, moves) {
  /** @type {Map<string, Map<string, Cell>>} */
  const found = new Map();
  for (const { touches } of open(moves, []))
    for (const cell of touches[0]) {
      const key = cellKey(cell);
      const goals = found.get(key) ?? new Map();
      for (const goal of touches[1] ?? []) goals.set(cellKey(goal), goal);
      found.set(key, goals);
    }
  return new Map(
    [...found].map(([key, goals]) => {
      const names = [...goals.values()].map((cell) => cellName(scene, cell));
      if (!names.length) return [key, "can be played"];
      return [key, `can go to ${names.length > MOST ? `${names.length} cells` : either(names)}`];
    }),
  );
}

/**
 * Where the cursor begins: on the first piece that can move.
 *
 * @param {HandMove[]} moves
 */
function first(moves) {
  return open(moves, [])[0]?.touches[0][0] ?? null;
}

/**
 * @param {Mark} mark
 * @param {Cell} cell
 */
function covers({ shape, row, col, rows, cols }, [at, across]) {
  return shape !== "label" && at >= row && at < row + rows && across >= col && across < col + cols;
}
