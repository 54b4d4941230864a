/** How a seat looks, the same everywhere: its colour, and a sign for those who cannot tell the colours apart. */

/** @import { SeatOf } from "../types/wire.js" */
/** @import { Pieces } from "../lib/chip.js" */
/** @import { Mark } from "../lib/scene.js" */

import { html } from "../lib/html.js";
import { chip } from "../lib/chip.js";
import { memo } from "../lib/memo.js";
import { Shape } from "./marks.js";

const COLOURS = new Set(["black", "white", "red", "green", "blue"]);
const SHADES = 8; // in styles/board.css, for seats whose names are no colours
const PIECE = 0.22; // of a piece's size on a board whose cells are 100 wide

/**
 * The class that colours what belongs to a seat: by its name if that is a colour, else by its number.
 *
 * @param {SeatOf[]} seats
 * @param {number|null|undefined} seat
 */
export function seatClass(seats, seat) {
  if (seat === null || seat === undefined) return "seat-none";
  const name = seats[seat]?.name;
  return name !== undefined && COLOURS.has(name) ? `seat-${name}` : `seat-${seat % SHADES}`;
}

/**
 * A seat's chip: its piece on a tile of the board, so that black shows in the dark, too. Without a scene, or the pieces of one, it is a disc.
 *
 * @param {{seats: SeatOf[], seat: number, scene?: Pieces|null}} props
 */
export function Token({ seats, seat, scene = null }) {
  const mark = chip(scene, seat);
  return html`<${Tile} mark=${mark} name=${seatClass(seats, seat)} look=${Object.values(mark).join(" ")} />`;
}

const Tile = memo(DrawnTile, (before, next) => before.name === next.name && before.look === next.look);

/** @param {{mark: Mark, name: string, look: string}} props  `look`: the mark as text */
function DrawnTile({ mark, name }) {
  return html`
    <svg class=${`token ${name}`} viewBox="-12 -12 24 24" aria-hidden="true">
      <rect class="tile" x="-11.5" y="-11.5" width="23" height="23" rx="4" />
      <g transform=${`scale(${PIECE / Math.max(mark.rows, mark.cols)})`}><${Shape} mark=${mark} /></g>
    </svg>
  `;
}
