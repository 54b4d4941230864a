/** A game that one plays: the others above the board, oneself below, the keys and the moves beside it. */

/** @import { GameItem, PlyView, PositionItem, SeatOf, View } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */
/** @import { Thought } from "./hand_board.js" */
/** @import { useSeat } from "../lib/seated.js" */

import { advised, shuffled, useAdvice, useSolution } from "../lib/advice.js";
import { replayNext, useAgain, useReplay } from "../lib/again.js";
import { draw, isTimed } from "../lib/bot_session.js";
import { foldMatch } from "../lib/fold.js";
import { useFollow } from "../lib/hooks.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { capital } from "../lib/codes.js";
import { useLostFocus } from "../lib/lost_focus.js";
import { passes, person, whose } from "../lib/play_words.js";
import { isThoughtAhead, made } from "../lib/premove.js";
import { to } from "../lib/router.js";
import { useTurn } from "../lib/seated.js";
import { HandBoard } from "./hand_board.js";
import { KeyBox } from "./key_box.js";
import { Moves } from "./moves.js";
import { PlayBar } from "./play_bar.js";
import { PlayResult } from "./play_result.js";
import { PlayStart } from "./play_start.js";

const USUAL_DEPTH = 4;

/**
 * @param {object} props
 * @param {Kept} props.kept
 * @param {GameItem} props.game
 * @param {ReturnType<typeof useSeat>} props.seat
 * @param {(kept: Kept) => void} props.sit
 * @param {() => void} props.leave
 */
export function PlayGame({ kept, game, seat, sit, leave }) {
  const { session, status, giveUp, offerDraw, carry } = seat;
  const start = /** @type {NonNullable<typeof session.start>} */ (session.start);
  const { state: live } = useFollow(`ws/live/${encodeURIComponent(start.match)}`, foldMatch);
  const { position, mine: asked, passed, error, retry } = useTurn(session, seat.move);
  const mine = asked && status !== "elsewhere";
  const advice = useAdvice(game.name, session.turn, kept.table.token);
  const race = game.kind === "race";
  const seats = live?.summary.seats ?? start.seats;
  const me = Math.max(0, seats.findIndex(({ bot }) => bot === session.who.name));
  const view = shown(live, race, me, mine ? (session.turn?.ply ?? 0) : null);
  const over = session.stage === "over" || Boolean(live?.summary.result);
  const { again, fault } = useAgain(kept, sit, giveUp);
  const solution = useSolution({ turn: session.turn?.id, mine, advice, depth: USUAL_DEPTH, move: seat.move });
  const move = (/** @type {unknown} */ wire) => {
    solution.stop();
    seat.move(wire);
  };
  const turnWords = turnOf({ over, mine, passed, answered: session.answer !== null, race, seats, me, lines: live?.lines ?? [], toMove: view?.to_move ?? live?.summary.view.to_move ?? null });
  useReplay(start.match, session.turn?.id, mine, seat.move);

  const bots = kept.request !== null && (kept.request.opponents ?? []).every(({ friend }) => !friend);
  const thinks = !race && seats.length === 2 && !mine && !over && status === "live" && session.ready && isThoughtAhead(position);
  const { thought, dropped, think } = usePremove(mine ? position : null, move);
  const canHint = bots && mine && !kept.table.rated;
  const canBack = bots && !kept.table.rated && !game.anytime && session.made.length > 0;
  const back = async () => {
    const last = session.made.at(-1);
    if (!last) return;
    const before = session.made.slice(0, -1);
    solution.stop();
    replayNext(start.match, race ? before.map((own) => own.move) : []);
    carry(race ? null : before);
    if (await again(race ? { same: true } : { state: last.state }, before)) return;
    carry.off();
    replayNext(start.match, []);
  };
  const random = () => {
    const moves = position?.moves ?? [];
    if (mine && moves.length) move(moves[Math.floor(Math.random() * moves.length)].move);
    else if (mine && position?.scene) advice.set(shuffled(position.scene.marks.length));
  };
  const best = async (/** @type {number} */ depth, /** @type {boolean} */ played) => {
    if (!canHint) return;
    const hint = await advice.ask(depth);
    if (hint && played && !hint.order) move(hint.move);
  };
  const timed = isTimed(start.time);
  const offerer = session.offer === null || over ? "" : session.offer === start.seat ? "you" : capital(person(start.seats[session.offer].bot));
  const waits = timed && !session.ready && session.stage === "playing" && !over;
  const [turned, setTurned] = useState(false);
  const words = [turnWords, dropped, advice.busy ? "Palio searches …" : advised(advice.hint)].filter(Boolean).join(" ");
  const drawn = position ?? (view ? watching(view) : null);
  const flipped = !race && Boolean(drawn?.scene?.turned?.includes(me)) !== turned;
  const flip = () => setTurned(!turned);
  const fresh = mine && (view === null || race);
  const stage = useRef(/** @type {HTMLElement|null} */ (null));
  useLostFocus(stage, '.hand-cell[tabindex="0"], .city[tabindex="0"], .move-list button', drawn && !waits ? drawn.hand : "");
  const clocks = live && status !== "lost" ? live : live && { ...live, running: false };
  return html`
    <div class="play" data-lost=${status === "lost" ? "" : null}>
      <section class="play-stage" aria-label="board" tabindex="-1" ref=${stage} data-turn=${mine ? session.turn?.id : null} data-flipped=${flipped ? "" : null} onPointerDown=${waits ? seat.start : null}>
        <div class="bars">
          ${seats.map((_, index) => index !== me && html`<${PlayBar} key=${index} seats=${seats} seat=${index} live=${live} clocks=${clocks} time=${start.time} race=${race} scene=${drawn?.scene} />`)}
        </div>
        ${
          drawn
            ? html`
                <${HandBoard}
                  game=${game.name}
                  title=${game.title}
                  position=${drawn}
                  view=${fresh ? null : view}
                  before=${view && !race ? live?.views[view.ply - 1] : null}
                  seats=${seats}
                  entrant=${race ? me : null}
                  mine=${mine}
                  timed=${timed}
                  flipped=${flipped}
                  ahead=${race || seats.length !== 2 ? null : { seat: me, thought, think, may: thinks }}
                  hint=${advice.hint?.touches ?? null}
                  order=${advice.hint?.order ?? advice.order}
                  turn=${words}
                  onMove=${move}
                >
                  <${PlayBar} seats=${seats} seat=${me} live=${live} clocks=${clocks} time=${start.time} race=${race} scene=${drawn?.scene} you=${kept.table.rated ? "rated" : "guest, unrated"} />
                </${HandBoard}>
              `
            : html`<div class="waiting" aria-busy="true"></div>`
        }
        ${!over && position?.count && html`<p class="play-count quiet">${capital(position.count)}</p>`}
        <div role="alert" class="hand-refused">
          ${session.rejected && html`<p><strong>The referee refused it:</strong> ${session.rejected.reason}. <span>${session.rejected.left} more are allowed.</span></p>`}
          ${(error || fault || advice.fault || solution.fault) && html`<p>${error || fault || advice.fault || solution.fault} ${error && html`<button type="button" onClick=${retry}>Try again</button>`}</p>`}
        </div>
      </section>
      ${
        waits
          ? html`<${PlayStart} start=${seat.start} />`
          : over && live?.summary.result
          ? html`<${PlayResult} result=${live.summary.result} seats=${seats} me=${me} race=${race} game=${game} kept=${kept} match=${start.match} again=${again} sit=${sit} leave=${leave} />`
          : html`<${KeyBox} can=${{ random: mine, back: canBack, hint: canHint, quit: !over, flip: !race, draw: !over && draw(session).length > 0 }} race=${race} anytime=${game.anytime} depth=${USUAL_DEPTH} shown=${advice.hint !== null} solution=${race && !game.anytime ? solution : null} alone=${bots} draws=${start.draw_offers === true} offer=${offerer} does=${{ random, back, best, giveUp, flip, draw: offerDraw }} />`
      }
      <div class="play-moves">
        ${live && html`<${Moves} lines=${live.lines} refusals=${live.refusals} seats=${seats} ply=${live.lines.at(-1)?.ply ?? 0} live go=${() => {}} race=${race} />`}
        <section class="panel play-rules" aria-label="rules">
          <h2>Rules in a line</h2>
          <p>${position?.how || game.line}</p>
          <p><a href=${to("games", game.name)}>All the rules, with a board to try</a></p>
          <p><a href=${to("match", start.match)}>Watch this match as others do</a></p>
        </section>
      </div>
    </div>
  `;
}

/**
 * The move that is thought ahead. When the turn comes it is made, or dropped with a word if the rules forbid it then.
 *
 * @param {PositionItem|null} position  while it is our turn
 * @param {(move: unknown) => void} move
 */
function usePremove(position, move) {
  const [thought, setThought] = useState(/** @type {Thought|null} */ (null));
  const [dropped, setDropped] = useState("");
  useEffect(() => {
    if (!position) {
      setDropped("");
      return;
    }
    if (!thought) return;
    setThought(null);
    const found = made(position.moves ?? [], thought.cells);
    if (found) move(found.move);
    else setDropped(`${capital(thought.name)}, thought ahead, is not legal now.`);
  }, [position]);
  return { thought, dropped, think: setThought };
}

/**
 * What is said beside the board.
 *
 * @param {{over: boolean, mine: boolean, passed: string, answered: boolean, race: boolean, seats: SeatOf[], me: number, lines: PlyView[], toMove: number|null}} now
 */
function turnOf({ over, mine, passed, answered, race, seats, me, lines, toMove }) {
  if (over) return "";
  if (race) return mine ? "Your board." : "";
  const named = seats.map((seat) => ({ ...seat, bot: person(seat.bot) }));
  const others = passes(lines, named, me);
  if (mine) return [passed, others, "Your turn."].filter(Boolean).join(" ");
  if (answered || toMove === me) return "";
  return `${others} ${whose(named, toMove, me)}`.trim();
}

/**
 * What the viewers' socket shows: the newest board, one's own in a race; null where our turn is ahead of it.
 *
 * @param {import("../lib/fold.js").MatchState|null} live
 * @param {boolean} race
 * @param {number} me
 * @param {number|null} ply  of our turn
 */
function shown(live, race, me, ply) {
  if (!live) return null;
  const view = race ? (live.boards[me] ?? null) : live.summary.view;
  return !race && ply !== null && view && view.ply !== ply ? null : view;
}

/**
 * A position for a board that is only looked at.
 *
 * @param {View} view
 * @returns {PositionItem}
 */
function watching({ to_move, text, scene }) {
  return { state: "", to_move, text, scene, hand: "touches", how: "", moves: null, forced: null, count: "", over: null, meant: null };
}
