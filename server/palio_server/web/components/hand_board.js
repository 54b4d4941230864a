/**
 * A board to be played on by mouse, touch or keys, in a match or without one.
 *
 *     html`<${HandBoard} game="breakthrough" title="Breakthrough" seats=${seats} position=${position} mine onMove=${play} />`
 *
 * `position` is what `POST games/NAME/position` answers. What the rules forbid is asked for there and said in their own
 * words; only legal moves reach `onMove`.
 */

/** @import { HandMove, PositionItem, SeatOf, View } from "../types/wire.js" */
/** @import { Renderable } from "../vendor/preact.js" */
/** @import { Cell } from "../lib/hand.js" */

import { ApiError, post } from "../lib/api.js";
import { cellKey, choices, held, named, piece, targets, touch } from "../lib/hand.js";
import { cellName, either, isBrief, standing } from "../lib/hand_cells.js";
import { asView, shape } from "../lib/hand_view.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { isPass } from "../lib/play_keys.js";
import { thoughts } from "../lib/premove.js";
import { plural } from "../lib/words.js";
import { Board } from "./board.js";
import { HandGrid } from "./hand_grid.js";
import { HandMarks } from "./hand_marks.js";
import { MoveList } from "./move_list.js";
import { seatClass } from "./seat.js";
import { TourBoard } from "./tour_board.js";

const CROSS_MS = 600; // how long a cell that was refused shows it
const PASS = "pass";
const MOST = 6; // targets that are listed by name
/** @type {Cell[]} */
const NOTHING = [];
/** @type {HandMove[]} */
const NO_MOVES = [];
/** @type {ReturnType<typeof choices>} */
const NONE = new Map();

/**
 * @typedef {object} Ahead
 * @property {number} seat  whose pieces may be touched
 * @property {boolean} may  whether they may now
 * @property {Thought|null} thought
 * @property {(thought: Thought|null) => void} think
 *
 * @typedef {{cells: Cell[], name: string}} Thought  what was touched, and how it is called: "e2 to e4"
 */

/**
 * @typedef {object} HandProps
 * @property {string} game  its name, to ask the rules
 * @property {string} title  its title, for screen readers
 * @property {PositionItem} position  the position whose moves can be made
 * @property {SeatOf[]} seats  names and colours of those who sit there
 * @property {boolean} [mine]  whether it may be touched; else it is only looked at
 * @property {(move: unknown, notation: string) => void} onMove  a legal move was made, as it goes over the wire
 * @property {View|null} [view]  what is drawn in place of the position: a newer one, or one with its last move
 * @property {View|null} [before]  the view before it, to find what the last move touched
 * @property {number|null} [entrant]  whose board of a race it is
 * @property {Cell[][]|null} [hint]  the touches of a move that is recommended
 * @property {number[]|null} [order]  for tours: the order that is recommended
 * @property {string} [turn]  what is said while nothing is in hand: "Your turn."
 * @property {boolean} [timed]  whether a clock runs, so that a refusal says that it does
 * @property {Ahead|null} [ahead]  while it is not one's turn: the move that is thought ahead
 * @property {boolean} [flipped]  turned by half, for whoever sits on the other side
 * @property {Renderable} [children]  what stands right under the board
 */

/** @param {HandProps} props */
export function HandBoard(props) {
  const { position, view } = props;
  if (position.hand === "order" && position.scene) return html`<${TourBoard} ...${props} />`;
  if (!position.scene || position.hand === "list") return html`<${Listed} ...${props} view=${view ?? asView(position)} />`;
  return html`<${Touched} ...${props} view=${view ?? asView(position)} />`;
}

/** @param {HandProps & {view: View}} props */
function Listed({ position, view, before, seats, title, mine = false, entrant = null, flipped = false, onMove, turn = "", children }) {
  return html`
    <div class="hand">
      <div class="hand-board" ...${view.scene ? shape(view.scene) : {}} data-text=${view.scene ? null : ""}>
        <${Board} view=${view} before=${before} seats=${seats} title=${title} entrant=${entrant} flipped=${flipped} />
      </div>
      ${children}
      <p class="hand-word" role="status">${turn}</p>
      ${mine && html`<${MoveList} moves=${position.moves ?? []} onMove=${onMove} />`}
    </div>
  `;
}

/** @param {HandProps & {view: View}} props */
function Touched({ game, position, view, before, seats, title, mine = false, entrant = null, hint = null, ahead = null, flipped = false, onMove, turn = "", timed = false, children }) {
  const scene = view.scene ?? position.scene;
  const thinks = !mine && ahead?.may && scene ? ahead.seat : null;
  const premoves = useMemo(() => (thinks === null || !scene ? NO_MOVES : thoughts(scene, thinks)), [scene, thinks]);
  const moves = mine ? (position.moves ?? NO_MOVES) : premoves;
  const thought = thinks === null ? null : (ahead?.thought ?? null);
  const [touched, setTouched] = useState(NOTHING);
  const [aimed, setAimed] = useState(/** @type {Cell|null} */ (null));
  const { refusal, refuse, forgive } = useRefusal(game, position.state);
  useEffect(() => {
    // What was in hand belonged to another position; but a piece that was taken while the other thought stays there.
    setTouched((old) => (mine && ahead && old.length === 1 && piece(position.moves ?? [], old[0]).length ? old : NOTHING));
    setAimed(null);
    forgive();
  }, [position.state, mine]);
  if (!scene) return null;

  const think = (/** @type {Cell} */ cell, /** @type {boolean} */ dropped) => {
    const next = touch(moves, thought ? [] : touched, cell);
    const again = thought?.cells.some((each) => cellKey(each) === cellKey(cell));
    const back = dropped && !thought && touched.length > 0 && cellKey(touched[0]) !== cellKey(cell); // on an own piece, which may be taken there
    if (back || next.kind === "chosen") ahead?.think({ cells: [...touched, cell], name: `${cellName(scene, touched[0])} to ${cellName(scene, cell)}` });
    else if (thought) ahead?.think(null);
    setTouched(next.kind === "touched" && !again && !back ? next.touched : NOTHING);
  };
  const onTouch = (/** @type {Cell} */ cell, dropped = false) => {
    if (thinks !== null) think(cell, dropped);
    if (!mine) return;
    setAimed(null);
    const next = touch(moves, touched, cell);
    if (next.kind === "refused") {
      refuse(next.cells);
      return;
    }
    forgive();
    setTouched(next.kind === "touched" ? next.touched : NOTHING);
    if (next.kind === "chosen") onMove(next.move.move, next.move.notation);
  };
  const onAim = (/** @type {Cell} */ cell) => {
    forgive();
    setAimed(cell);
  };
  const letGo = () => {
    if (thought) ahead?.think(null);
    setTouched(NOTHING);
    setAimed(null);
    forgive();
  };
  const goals = touched.length && mine ? targets(moves, touched) : new Map();
  const inHand = held(moves, touched);
  const cross = refusal?.fresh ? (refusal.cells.at(-1) ?? null) : null;
  return html`
    <div class="hand">
      <div class=${`hand-board ${seatClass(seats, position.to_move)}`} data-board=${scene.board} ...${shape(scene)} data-mine=${mine || thinks !== null ? "" : null}>
        <div class="hand-under" aria-hidden="true">
          <${Board} view=${{ ...view, scene }} before=${before} seats=${seats} title=${title} entrant=${entrant} flipped=${flipped} />
        </div>
        <${HandGrid} scene=${scene} seats=${seats} title=${title} moves=${moves} touched=${touched} onTouch=${onTouch} aimed=${aimed} onAim=${onAim} letGo=${letGo} entrant=${entrant} hint=${mine ? hint : null} ahead=${thinks !== null} undoes=${thought !== null} flipped=${flipped}>
          <${HandMarks} scene=${scene} seats=${seats} aimed=${aimed} held=${inHand} touched=${touched} targets=${goals} choices=${mine ? choices(moves, touched) : NONE} cross=${cross} hint=${mine ? hint : null} thought=${thought?.cells ?? NOTHING} flipped=${flipped} />
        </${HandGrid}>
      </div>
      ${children}
      <p class="hand-word" role="status">${mine ? words(position, moves, touched, aimed, seats, turn) : thought ? `${turn} Then ${thought.name}; touch it again to take it back.` : turn}</p>
      <${Named} moves=${named(moves)} onMove=${onMove}>
        ${aimed && html`<button type="button" class="primary" onClick=${() => onTouch(aimed)}>Place ${cellName(scene, aimed)}</button>`}
      </${Named}>
      <div class="hand-refused" role="alert">
        ${refusal?.reason && html`<p><strong>Not a legal move:</strong> ${refusal.reason}.${timed ? html` <span>Your clock runs on.</span>` : ""}</p>`}
      </div>
    </div>
  `;
}

/**
 * Buttons for the moves that no touch makes; a pass has a key, too. `children`: a button that stands before them.
 *
 * @param {{moves: HandMove[], onMove: HandProps["onMove"], children?: Renderable}} props
 */
function Named({ moves, onMove, children }) {
  const pass = moves.find(({ notation }) => notation === PASS);
  const now = useRef(/** @type {() => boolean} */ (() => false));
  now.current = () => {
    if (pass) onMove(pass.move, pass.notation);
    return Boolean(pass);
  };
  useEffect(() => {
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
      if (!event.defaultPrevented && isPass(event) && now.current()) event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown); // once: a key that comes right after the board is not lost
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  if (!moves.length && !children) return null;
  return html`
    <p class="hand-named">
      ${children}
      ${moves.map(({ move, notation }) =>
        notation === PASS
          ? html`<button key=${PASS} type="button" aria-keyshortcuts="p" onClick=${() => onMove(move, notation)}>Pass <kbd>p</kbd></button>`
          : html`<button key=${notation} type="button" onClick=${() => onMove(move, notation)}>${notation}</button>`,
      )}
    </p>
  `;
}

/**
 * What was refused, and why: the rules' own sentence, asked for when it is needed.
 *
 * @param {string} game
 * @param {string} state
 */
function useRefusal(game, state) {
  const [refusal, setRefusal] = useState(/** @type {{cells: Cell[], reason: string, fresh: boolean}|null} */ (null));
  const asked = useRef(0);
  const timer = useRef(/** @type {number|undefined} */ (undefined));
  useEffect(() => () => clearTimeout(timer.current), []);
  const forgive = () => {
    asked.current += 1;
    setRefusal(null);
  };
  const refuse = async (/** @type {Cell[]} */ cells) => {
    const own = (asked.current += 1);
    setRefusal({ cells, reason: "", fresh: true });
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setRefusal((old) => old && { ...old, fresh: false }), CROSS_MS);
    const reason = await why(game, state, cells);
    if (own === asked.current) setRefusal((old) => old && { ...old, reason });
  };
  return { refusal, refuse, forgive };
}

/**
 * @param {string} game
 * @param {string} state
 * @param {Cell[]} touched
 */
async function why(game, state, touched) {
  try {
    const { meant } = await post(`games/${encodeURIComponent(game)}/position`, { state, touched });
    return meant?.refused ?? "these touches make no move";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

/**
 * "e2 can go to d3, e3 or f3."; where cells have no short names, "The red disc can go to 2 cells."
 *
 * @param {PositionItem} position
 * @param {HandMove[]} moves
 * @param {Cell[]} touched
 * @param {Cell|null} aimed  a small point that a finger has touched once
 * @param {SeatOf[]} seats
 * @param {string} turn
 */
function words({ scene }, moves, touched, aimed, seats, turn) {
  if (scene && aimed) return `${turn} Touch ${cellName(scene, aimed)} again to play there, or another point.`;
  if (!scene || !touched.length) return turn;
  const chosen = choices(moves, touched);
  const goals = [...targets(moves, touched).values()].map(({ cell }) => cell);
  if (chosen.size) return `${turn} Choose ${either(goals.map((cell) => `${chosen.get(cellKey(cell))?.name} on ${cellName(scene, cell)}`))}.`;
  const here = touched[touched.length - 1];
  const brief = isBrief(scene);
  const what = brief ? cellName(scene, here) : `The ${standing(scene, seats).get(cellKey(here)) ?? "piece"}`;
  const where = brief && goals.length <= MOST ? either(goals.map((cell) => cellName(scene, cell))) : plural(goals.length, "cell");
  return `${turn} ${what} can go to ${where}.`;
}
