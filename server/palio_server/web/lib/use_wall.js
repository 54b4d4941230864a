/** The hall's screen in the browser: the lobby's messages folded, the wall arranged by the clock, and drawn in small steps. */

/** @import { Status } from "./follow.js" */
/** @import { Known } from "./interest.js" */
/** @import { Shown, Wall, Wish } from "./wall.js" */
/** @import { FeedState } from "./wall_feed.js" */

import { Follower } from "./follow.js";
import { lobbyPath } from "./lobby_stream.js";
import { askLastWord } from "./last_word.js";
import { useEffect, useRef, useState } from "./html.js";
import { askWhy, noteClosed } from "./reading.js";
import { socketUrl } from "./waits.js";
import { arrange, EMPTY } from "./wall.js";
import { foldEnd, foldFeed } from "./wall_feed.js";

const STEP_MS = 31.25;
const PATIENCE_MS = 1500; // a screen that stays empty for longer would look broken
const CANDIDATES = 34; // matches from which the wall chooses: twice as many as it ever shows
const PHASES = 8; // a board is drawn in every eighth step: four times a second, and never more than two of them in one frame

/**
 * @typedef {object} Drawn
 * @property {Wall} wall
 * @property {(Shown|null)[]} slots  the small cards as they are drawn, up to a quarter of a second old
 * @property {FeedState|null} feed
 * @property {Status} status
 * @property {string} why  the server takes no viewer now; else ""
 */

/**
 * @param {Wish} wish
 * @param {Known} known
 * @param {boolean} ready  whether all is known by which the first large match is chosen; it is not waited for long
 * @returns {Drawn & {next: () => void}}  `next`: let the large match be another one
 */
export function useWall(wish, known, ready) {
  const [drawn, setDrawn] = useState(/** @type {Drawn} */ ({ wall: EMPTY, slots: [], feed: null, status: "connecting", why: "" }));
  const { event, bot, game, pins } = wish;
  const path = lobbyPath({ boards: pins.length ? undefined : CANDIDATES, event, bot, game }); // a pinned match may be an old one
  const newest = useRef({ wish, known, ready, next: false, path, moveTo: (/** @type {string} */ _to) => {} });
  newest.current.wish = wish;
  newest.current.known = known;
  newest.current.ready = ready;
  useEffect(() => {
    /** @type {FeedState|null} */
    let feed = null;
    /** @type {Status} */
    let status = "connecting";
    let why = "";
    let [wall, phase, began] = [EMPTY, 0, Infinity];
    /** @type {Map<string, () => void>} */
    const asking = new Map(); // of matches that are gone how they ended
    const askAbout = (/** @type {string} */ match) => {
      const stop = askLastWord(socketUrl(`ws/live/${encodeURIComponent(match)}`), (summary) => {
        if (feed) feed = follower.state = foldEnd(feed, summary, performance.now());
      });
      asking.set(match, stop);
    };
    const follower = new Follower({
      url: socketUrl(newest.current.path),
      fold: foldFeed,
      onState: (/** @type {FeedState} */ state) => {
        feed = state;
      },
      onStatus: (now, words) => {
        [status, why] = [now, words];
      },
      onClosed: noteClosed,
      askWhy,
    });
    const step = () => {
      if (document.hidden) return;
      phase = (phase + 1) % PHASES;
      const { wish: asked, known: facts, next } = newest.current;
      const arranges = phase === 0 || next;
      if (feed) began = Math.min(began, performance.now());
      const informed = newest.current.ready || performance.now() - began > PATIENCE_MS;
      if (feed && status === "live" && (wall.hero || informed) && arranges) {
        wall = arrange(wall, feed, { ...asked, next }, performance.now(), facts);
        newest.current.next = false;
        const gone = missing(wall);
        for (const match of gone) if (!asking.has(match)) askAbout(match);
        for (const match of asking.keys()) if (!gone.includes(match)) asking.delete(match);
      }
      setDrawn((before) => redrawn(before, { wall, feed, status, why }, phase));
    };
    const onVisibility = () => follower.visible(!document.hidden);
    document.addEventListener("visibilitychange", onVisibility);
    follower.start();
    newest.current.moveTo = (to) => follower.moveTo(socketUrl(to));
    const timer = setInterval(step, STEP_MS);
    return () => {
      clearInterval(timer);
      follower.stop();
      asking.forEach((stop) => stop());
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, []);
  useEffect(() => newest.current.moveTo(path), [path]);
  const next = () => {
    newest.current.next = true;
  };
  return { ...drawn, next };
}

/**
 * What is drawn next: of the small cards those whose turn it is, and those that are new in their place or have ended.
 *
 * @param {Drawn} before
 * @param {{wall: Wall, feed: FeedState|null, status: Status, why: string}} now
 * @param {number} phase
 * @returns {Drawn}
 */
export function redrawn(before, { wall, feed, status, why }, phase) {
  const slots = wall.slots.map((shown, place) => {
    const old = before.slots[place] ?? null;
    const other = shown?.entry.summary.match !== old?.entry.summary.match || shown?.over !== old?.over || shown?.gone !== old?.gone;
    return other || place % PHASES === phase ? shown : old;
  });
  const same = slots.length === before.slots.length && slots.every((shown, place) => shown === before.slots[place]);
  const still = same && wall.hero === before.wall.hero && status === before.status && why === before.why && wall.waiting === before.wall.waiting && ended(feed) === ended(before.feed);
  return still ? before : { wall, slots: same ? before.slots : slots, feed, status, why };
}

/**
 * The matches on the screen that are gone without a result.
 *
 * @param {Wall} wall
 */
export function missing({ hero, slots }) {
  return [hero, ...slots].flatMap((shown) => (shown && shown.gone < Infinity ? [shown.entry.summary.match] : []));
}

/** @param {FeedState|null} feed */
function ended(feed) {
  return feed ? feed.finished + feed.snapshots : 0;
}
