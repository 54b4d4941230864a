/**
 * A position as a picture: the ground, the cells of the last move, a tour, the pieces; pieces that moved glide to their
 * place.
 */

/** @import { Scene, SeatOf, View } from "../types/wire.js" */
/** @import { Mark } from "../lib/scene.js" */
/** @import { Piece } from "../lib/pieces.js" */
/** @import { Ref } from "../vendor/hooks.js" */
/** @import { Ghost } from "../lib/ghosts.js" */

import { html, useLayoutEffect, useMemo, useRef } from "../lib/html.js";
import { memo } from "../lib/memo.js";
import { track } from "../lib/pieces.js";
import { bare, CELL, centre, crowds, describe, frame, ground, inTheWay, mesh, namesAt, nameSize, outline, ringed, still, touched } from "../lib/scene.js";
import { closedLine } from "../lib/tour.js";
import { Shape } from "./marks.js";
import { Rim, Sockets, Ways } from "./rim.js";
import { seatClass } from "./seat.js";
import { Tour } from "./tour.js";

const GLIDE_MS = 160;
/** @type {WeakMap<Element, Animation>} */
const gliding = new WeakMap();
const BRISK_MS = 300; // from one position to the next: four moves a second and more are jumps, they would only blur

/**
 * @param {object} props
 * @param {View} props.view  its scene is drawn, or its text where a game draws nothing
 * @param {View|null} [props.before]  the view before it, to find what the last move touched
 * @param {SeatOf[]} props.seats
 * @param {string} props.title
 * @param {boolean} [props.small]  without the names of rows and columns
 * @param {boolean} [props.flipped]  turned by half, for whoever sits on the other side
 * @param {number|null} [props.entrant]  whose board of a race it is: all that is somebody's on it has this entrant's colour
 * @param {Ghost[]} [props.ghosts]  other entrants' tours, drawn faintly below
 * @param {boolean} [props.glides]  whether a piece that moved glides to its place, or is there at once
 */
export function Board({ view, before, seats, title, small = false, flipped = false, entrant = null, ghosts = [], glides = true }) {
  const label = entrant === null ? `${title}, ply ${view.ply}` : `${title}, ${seats[entrant].bot}`;
  if (!view.scene) {
    return html`<pre class="board-text" role="img" aria-label=${label} tabindex=${small ? null : "0"}>${view.text}</pre>`;
  }
  const drawing = { scene: view.scene, before: before?.scene ?? null, seats, label, small, flipped, entrant, ghosts, glides };
  return html`<${Picture} ...${drawing} />`;
}

/**
 * @param {object} props
 * @param {Scene} props.scene
 * @param {Scene|null} props.before
 * @param {SeatOf[]} props.seats
 * @param {string} props.label
 * @param {boolean} props.small
 * @param {boolean} props.flipped
 * @param {number|null} props.entrant
 * @param {Ghost[]} props.ghosts
 * @param {boolean} props.glides
 */
function Picture({ scene, before, seats, label, small, flipped, entrant, ghosts, glides }) {
  const colour = (/** @type {number|null} */ seat) => seatClass(seats, seat === null ? null : (entrant ?? seat));
  const shown = useMemo(() => (small ? bare(scene) : scene), [scene, small]);
  const fixed = `${still(shown)} ${seats.map((_, seat) => colour(seat))}`;
  const { x, y, width, height } = useMemo(() => frame(shown), [fixed]);
  const last = useMemo(() => touched(scene, before), [scene, before]);
  const rings = useMemo(() => ringed(scene, last), [scene, last]);
  const { dots, single } = useMemo(() => crowds(scene), [scene.marks]);
  const words = useMemo(() => describe(scene, seats), [scene]);
  const dotted = small && scene.path?.length ? [] : dots; // as small as that they would only blur the line through them
  const [drawn, root] = useGlide(scene, single, glides);
  const blocking = useMemo(() => inTheWay(scene), [scene]);
  return html`
    <svg
      class=${`board ${scene.board}`}
      data-flipped=${flipped ? "" : null}
      viewBox=${`${x} ${y} ${width} ${height}`}
      role="img"
      aria-label=${`${label}; ${words}`}
      ref=${root}
    >
      <${Ground} fixed=${fixed} scene=${shown} colour=${colour} />
      ${!rings.length && last.map(([row, col]) => html`<path key=${`${row} ${col}`} class="last" d=${outline(scene.board, row, col)} />`)}
      ${shown.edges?.length ? html`<${Sockets} scene=${shown} colour=${colour} />` : null}
      ${scene.lines?.length ? html`<${Ways} scene=${scene} kind="way" colour=${colour} />` : null}
      ${ghosts.map(
        ({ seat, path }) => html`<path key=${`ghost ${seat}`} class=${`ghost ${seatClass(seats, seat)}`} d=${closedLine(scene.board, path)} />`,
      )}
      <g class=${colour(0)}><${Tour} scene=${scene} still=${small} /></g>
      ${dotted.map(
        ({ seat, path }) => html`
          <g key=${`dots ${seat}`} class=${`dots ${colour(seat)}`}><path class="rim" d=${path} /><path class="core" d=${path} /></g>
        `,
      )}
      ${drawn.map(({ key, mark }) => {
        const at = centre(scene.board, mark);
        const out = mark.seat !== null && scene.out?.includes(mark.seat);
        return html`
          <g
            key=${key}
            data-key=${key}
            class=${`mark ${mark.shape} ${colour(mark.seat)}`}
            data-out=${out ? "" : null}
            data-blocks=${blocking.has(mark.text) ? "" : null}
            transform=${`translate(${at.x} ${at.y})`}
          >
            <${Shape} mark=${mark} />
            ${out && html`<path class="cross" d="M-24 -24L24 24M24 -24L-24 24" />`}
          </g>
        `;
      })}
      ${rings.map(({ seat, row, col }) => {
        const at = centre(scene.board, { row, col });
        return html`<circle key=${`ring ${row} ${col}`} class=${`newest ${colour(seat)}`} cx=${at.x} cy=${at.y} r="21" />`;
      })}
      ${scene.lines?.length ? html`<${Ways} scene=${scene} kind="pass" colour=${colour} />` : null}
    </svg>
  `;
}

/** What lies below all and stays for a whole game: cells, names, and what surrounds them. */
const Ground = memo(DrawnGround, (before, next) => before.fixed === next.fixed);

/** @param {{fixed: string, scene: Scene, colour: (seat: number|null) => string}} props  `fixed`: all that it shows, as text */
function DrawnGround({ scene, colour }) {
  const { light, dark } = ground(scene);
  const net = mesh(scene);
  return html`
    <path class="light" d=${light} />
    ${dark && html`<path class="dark" d=${dark} />`}
    ${net && html`<path class="mesh" d=${net.lines} /><path class="hoshi" d=${net.dots} />`}
    <${Rim} scene=${scene} colour=${colour} />
    <${Names} scene=${scene} />
  `;
}

/** @param {{scene: Scene}} props */
function Names({ scene }) {
  const { row_names: rowNames = [], col_names: colNames = [] } = scene;
  if (!rowNames.length && !colNames.length) return null;
  const { x, y } = namesAt(scene);
  const size = nameSize(scene);
  return html`
    <g class="names" aria-hidden="true" font-size=${size}>
      ${rowNames.map((name, row) => html`<text key=${`r${row}`} x=${x} y=${(row + 0.5) * CELL + 0.36 * size}>${name}</text>`)}
      ${colNames.map(
        (name, col) => html`<text key=${`c${col}`} x=${(col + 0.5) * CELL} y=${y}>${name}</text>`,
      )}
    </g>
  `;
}

/**
 * The scene's pieces, each with the key that it had before, and a ref for the picture in which they glide.
 *
 * @param {Scene} scene
 * @param {Mark[]} marks
 * @param {boolean} glides
 * @returns {[Piece[], Ref<SVGElement|null>]}
 */
function useGlide(scene, marks, glides) {
  const root = useRef(/** @type {SVGElement|null} */ (null));
  const known = useRef(/** @type {{scene: Scene|null, pieces: Piece[], at: number, brisk: boolean}} */ ({ scene: null, pieces: [], at: -Infinity, brisk: false }));
  if (known.current.scene !== scene) {
    const now = performance.now();
    const at = known.current.scene ? now : -Infinity; // what is drawn first has not moved
    known.current = { scene, pieces: track(known.current.pieces, marks), at, brisk: now - known.current.at < BRISK_MS };
  }
  const drawn = known.current.pieces;
  useLayoutEffect(() => {
    if (!glides || known.current.brisk || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const { key, mark, from } of drawn) {
      if (from) glide(root.current?.querySelector(`[data-key="${key}"]`), scene.board, { ...mark, ...from }, mark);
    }
  }, [drawn]);
  return [drawn, root];
}

/**
 * @param {Element|null|undefined} element
 * @param {Scene["board"]} board
 * @param {Mark} from
 * @param {Mark} to
 */
function glide(element, board, from, to) {
  const translate = (/** @type {{x: number, y: number}} */ { x, y }) => ({ transform: `translate(${x}px, ${y}px)` });
  if (!element) return;
  gliding.get(element)?.cancel(); // not getAnimations(): that works out the styles of the whole page first
  const animation = element.animate([translate(centre(board, from)), translate(centre(board, to))], {
    duration: GLIDE_MS,
    easing: "cubic-bezier(0.3, 0.7, 0.3, 1)",
  });
  gliding.set(element, animation);
}
