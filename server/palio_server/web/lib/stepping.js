/** Stepping through a match that is being followed: where one looks, which positions are known, and playing it. */

/** @import { Replay, View } from "../types/wire.js" */
/** @import { Look, Playing } from "./player.js" */
/** @import { Command } from "./replay_keys.js" */
/** @import { Cursor, Range, Step } from "./replay.js" */

import { useJson } from "./hooks.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./html.js";
import { go as goTo } from "./navigation.js";
import { Player } from "./player.js";
import { keyed } from "./replay_keys.js";
import { byPly, complete, LIVE, move, plyAsked } from "./replay.js";
import { asking, to } from "./router.js";

const SETTLED_MS = 300; // a ply that is shown for so long stands in the address: browsers limit how often it may change

/**
 * @typedef {object} Stepping
 * @property {Cursor} cursor
 * @property {boolean} live  whether the newest position is shown
 * @property {number} ply  that is shown
 * @property {Range} range
 * @property {Record<number, View>} views  the positions that are known, by ply
 * @property {(step: Step) => void} go  whoever steps stops the player
 * @property {Player} player
 * @property {Playing} playing
 * @property {boolean} loading  whether the past is still to come
 * @property {Error|null} error  why the past of the match cannot be had; `refresh` asks again
 * @property {() => void} refresh
 */

/**
 * @param {import("./fold.js").MatchState} state
 * @param {string} path  the match's identity, for an address
 * @param {URLSearchParams} [query]  of the page's address: `ply` is shown, and kept up to date; without, nothing is
 * @param {Replay} [given]  the past of the match, where it is known; else it is asked for
 * @returns {Stepping}
 */
export function useStepping(state, path, query, given) {
  const wanted = plyAsked(query);
  const range = { first: 0, last: state.summary.view.ply };
  const [cursor, setCursor] = useState(/** @returns {Cursor} */ () => (wanted === LIVE ? LIVE : move(LIVE, wanted, range)));
  const [asked, setAsked] = useState(wanted !== LIVE); // a live match's past is asked for when somebody wants to see it
  const over = Boolean(state.summary.result);
  const { value: found, error, refresh } = useJson(!given && (asked || over) ? `matches/${path}/replay` : null);
  const replay = given ?? found;
  const past = useMemo(() => (replay ? byPly(replay.views) : {}), [replay]);
  const views = useMemo(() => ({ ...past, ...state.views }), [past, state.views]);
  const ply = cursor ?? range.last;
  const show = (/** @type {Step} */ step) => {
    if (step !== "live" && !complete(views, range.first, range.last)) {
      setAsked(true);
      refresh();
    }
    setCursor((now) => move(now, step, range)); // not from `cursor`: keys may come faster than pictures
  };
  const { player, playing } = usePlayer({ ply, last: range.last, over, lines: state.lines }, show);
  const go = (/** @type {Step} */ step) => {
    if (player.state.playing) player.pause();
    show(step);
  };
  useAddress(query && path, wanted, cursor, show);
  const loading = !replay && !error && !views[ply];
  return { cursor, live: cursor === LIVE, ply, range, views, go, player, playing, loading, error, refresh };
}

/**
 * @param {Look} look
 * @param {(step: Step) => void} step
 */
function usePlayer(look, step) {
  const latest = useRef({ look, step });
  latest.current = { look, step }; // the player's timer must not step from an older picture
  const [playing, setPlaying] = useState(/** @type {Playing} */ ({ playing: false, speed: 1, loop: false }));
  const player = useMemo(
    () => new Player({ look: () => latest.current.look, step: (next) => latest.current.step(next), onChange: setPlaying }),
    [],
  );
  useEffect(() => {
    const onVisibility = () => player.hide(document.hidden);
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      player.pause();
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [player]);
  return { player, playing };
}

/**
 * The shown ply in the page's address, both ways.
 *
 * @param {string|undefined} path  of the match; undefined: the address is none of our business
 * @param {Cursor} wanted  what the address asks for
 * @param {Cursor} cursor
 * @param {(step: Step) => void} show
 */
function useAddress(path, wanted, cursor, show) {
  const written = useRef(wanted);
  useEffect(() => {
    if (wanted === written.current) return; // it is our own word, or an old one
    written.current = wanted;
    show(wanted ?? "live");
  }, [wanted]);
  useEffect(() => {
    if (path === undefined || cursor === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = cursor;
      goTo(asking(to("match", decodeURIComponent(path)), { ply: cursor === LIVE ? null : cursor }), { replace: true });
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [path, cursor]);
}

/**
 * Keys step, play and flip, wherever the focus is, unless it is in something that uses them itself.
 *
 * @param {Stepping} stepping
 * @param {Partial<Record<Command, () => void>>} [commands]  what else a key does
 */
export function useKeys({ go, player }, commands = {}) {
  const latest = useRef({ go, commands });
  latest.current = { go, commands }; // the one listener below must not step from an older picture
  useLayoutEffect(() => { // before the picture is there: whoever sees it can step at once
    /** @type {Partial<Record<Command, () => void>>} */
    const own = { play: () => player.toggle(), faster: () => player.faster(1), slower: () => player.faster(-1) };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const wish = keyed(event, event.target instanceof Element ? event.target : null);
      if (!wish || event.defaultPrevented) return;
      const action = "step" in wish ? () => latest.current.go(wish.step) : (own[wish.command] ?? latest.current.commands[wish.command]);
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [player]);
}
