/** A game that one plays: the others above the board, oneself below, the keys and the moves beside it. */

/** @import { GameItem, Hint, PositionItem, View } from "../types/wire.js" */
/** @import { Kept } from "../lib/play_keep.js" */
/** @import { useSeat } from "../lib/seated.js" */

import { ApiError, post } from "../lib/api.js";
import { foldMatch } from "../lib/fold.js";
import { useFollow } from "../lib/hooks.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { person, whose } from "../lib/play_words.js";
import { asking, to } from "../lib/router.js";
import { useTurn } from "../lib/seated.js";
import { HandBoard } from "./hand_board.js";
import { KeyBox } from "./key_box.js";
import { Moves } from "./moves.js";
import { PlayBar } from "./play_bar.js";
import { PlayResult } from "./play_result.js";

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
  const { session, status, move, giveUp, carry } = seat;
  const start = /** @type {NonNullable<typeof session.start>} */ (session.start);
  const { state: live } = useFollow(`ws/live/${encodeURIComponent(start.match)}`, foldMatch);
  const { position, mine, passed, error, retry } = useTurn(session, move);
  const advice = useAdvice(game.name, session.turn);
  const race = game.kind === "race";
  const seats = live?.summary.seats ?? start.seats;
  const me = Math.max(0, seats.findIndex(({ bot }) => bot === session.who.name));
  const view = shown(live, race, me, mine ? (session.turn?.ply ?? 0) : null);
  const over = session.stage === "over" || Boolean(live?.summary.result);
  const [fault, setFault] = useState("");
  const turnWords = useWords({ over, mine, passed, answered: session.answer !== null, race, seats, me, toMove: view?.to_move ?? live?.summary.view.to_move ?? null });
  useReplay(session.turn?.id, mine, move);

  const bots = kept.request !== null && (kept.request.opponents ?? []).every(({ friend }) => !friend);
  const canBack = bots && !kept.table.rated && !game.anytime && session.made.length > 0;
  const again = async (/** @type {object} */ body) => {
    try {
      await post(`play/${encodeURIComponent(kept.table.table)}/again`, body, kept.table.token);
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setFault(failure.message);
      return false;
    }
  };
  const back = async () => {
    const last = session.made.at(-1);
    if (!last) return;
    const before = session.made.slice(0, -1);
    if (race) pending = before.map((own) => own.move);
    else carry(before);
    if (!(await again(race ? { same: true } : { state: last.state })) && race) pending = [];
  };
  const random = () => {
    const moves = position?.moves ?? [];
    if (mine && moves.length) move(moves[Math.floor(Math.random() * moves.length)].move);
    else if (mine && position?.scene) advice.set(shuffled(position.scene.marks.length));
  };
  const best = async (/** @type {number} */ depth, /** @type {boolean} */ played) => {
    if (!mine) return;
    const hint = await advice.ask(depth);
    if (hint && played && !hint.order) move(hint.move);
  };
  const words = [turnWords, advice.busy ? "Palio searches …" : advised(advice.hint)].filter(Boolean).join(" ");
  const drawn = position ?? (view ? watching(view) : null);
  const fresh = mine && (view === null || race);
  const clocks = live && status !== "lost" ? live : live && { ...live, running: false };
  return html`
    <div class="play" data-lost=${status === "lost" ? "" : null}>
      <section class="play-stage" aria-label="board" data-turn=${mine ? session.turn?.id : null}>
        <div class="bars">
          ${seats.map((_, index) => index !== me && html`<${PlayBar} key=${index} seats=${seats} seat=${index} live=${live} clocks=${clocks} time=${start.time} race=${race} />`)}
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
                  timed=${Boolean(start.time.base_ms ?? start.time.move_ms)}
                  hint=${advice.hint?.touches ?? null}
                  order=${advice.hint?.order ?? advice.order}
                  turn=${words}
                  onMove=${move}
                >
                  <${PlayBar} seats=${seats} seat=${me} live=${live} clocks=${clocks} time=${start.time} race=${race} you=${kept.table.rated ? "rated" : "guest, unrated"} />
                </${HandBoard}>
              `
            : html`<div class="waiting" aria-busy="true"></div>`
        }
        ${position?.count && html`<p class="quiet">${position.count}</p>`}
        <div role="alert" class="hand-refused">
          ${session.rejected && html`<p><strong>The referee refused it:</strong> ${session.rejected.reason}. <span>${session.rejected.left} more are allowed.</span></p>`}
          ${(error || fault || advice.fault) && html`<p>${error || fault || advice.fault} ${error && html`<button type="button" onClick=${retry}>Try again</button>`}</p>`}
        </div>
      </section>
      ${
        over && live?.summary.result
          ? html`<${PlayResult} result=${live.summary.result} seats=${seats} me=${me} race=${race} game=${game} kept=${kept} match=${start.match} again=${again} sit=${sit} leave=${leave} />`
          : html`<${KeyBox} can=${{ random: mine, back: canBack, hint: mine && !kept.table.rated, quit: !over }} race=${race} anytime=${game.anytime} depth=${USUAL_DEPTH} does=${{ random, back, best, giveUp }} />`
      }
      <div class="play-moves">
        ${live && html`<${Moves} lines=${live.lines} refusals=${live.refusals} seats=${seats} ply=${live.lines.at(-1)?.ply ?? 0} live go=${() => {}} race=${race} />`}
        <section class="panel play-rules" aria-label="rules">
          <h2>Rules in a line</h2>
          <p>${position?.how || game.line}</p>
          <p><a href=${to("games", game.name)}>All the rules, with a board to try</a></p>
          <p><a href=${asking(to("match", start.match), {})}>Watch this match as others do</a></p>
        </section>
      </div>
    </div>
  `;
}

/** @type {unknown[]} */
let pending = []; // of a race begun anew: the moves that shall stay after one was taken back

/**
 * Play the moves that stay after one of a race was taken back.
 *
 * @param {number|undefined} turn
 * @param {boolean} mine
 * @param {(move: unknown) => void} move
 */
function useReplay(turn, mine, move) {
  useEffect(() => {
    if (!mine || !pending.length) return;
    const [next, ...rest] = pending;
    pending = rest;
    move(next);
  }, [turn, mine]);
}

/**
 * Hints for the turn that we have: asked for, shown, and forgotten with it.
 *
 * @param {string} game
 * @param {{id: number, match: string, state: string}|null} turn
 */
function useAdvice(game, turn) {
  const [found, setFound] = useState(/** @type {{id: number, hint: Hint|null, order: number[]|null, fault: string, busy: boolean}|null} */ (null));
  const now = useRef(turn);
  now.current = turn;
  const own = found && turn && found.id === turn.id ? found : null;
  const ask = async (/** @type {number} */ depth) => {
    if (!turn) return null;
    const { id, state } = turn;
    setFound({ id, hint: null, order: null, fault: "", busy: true });
    try {
      const hint = await post(`games/${encodeURIComponent(game)}/hint`, { state, depth });
      setFound({ id, hint, order: null, fault: "", busy: false });
      return now.current?.id === id ? hint : null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFound({ id, hint: null, order: null, fault: error.message, busy: false });
      return null;
    }
  };
  const set = (/** @type {number[]} */ order) => turn && setFound({ id: turn.id, hint: null, order, fault: "", busy: false });
  return { hint: own?.hint ?? null, order: own?.order ?? null, fault: own?.fault ?? "", busy: own?.busy ?? false, ask, set };
}

/**
 * What is said below the board.
 *
 * @param {{over: boolean, mine: boolean, passed: string, answered: boolean, race: boolean, seats: {name: string, bot: string}[], me: number, toMove: number|null}} now
 */
function useWords({ over, mine, passed, answered, race, seats, me, toMove }) {
  if (over) return "";
  if (mine) return race ? "Your board." : `${passed} Your turn.`.trim();
  if (answered || race) return "";
  const named = seats.map((seat) => ({ ...seat, bot: person(seat.bot) }));
  return toMove === me ? "" : whose(named, toMove, me);
}

/**
 * What our own search would do, and its sentence.
 *
 * @param {Hint|null} hint
 */
function advised(hint) {
  if (!hint) return "";
  return hint.order ? hint.text : `Palio would play ${hint.notation}${hint.text ? `: ${hint.text}` : ""}.`;
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

/** @param {number} size */
function shuffled(size) {
  const order = Array.from({ length: size }, (_, city) => city);
  for (let at = size - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
