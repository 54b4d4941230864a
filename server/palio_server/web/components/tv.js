/** The hall's screen: one large match, small ones around it, who stands where. It goes by itself; its address says what. */

/** @import { GameItem } from "../types/wire.js" */
/** @import { Asked } from "../lib/wall_address.js" */

import { loadIfNewer } from "../lib/fresh.js";
import { useJson, useMedia, useSteady, useTitle } from "../lib/hooks.js";
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { memo } from "../lib/memo.js";
import { go } from "../lib/navigation.js";
import { aboutOf, placesOf, UNKNOWN, useEvent, useRatings } from "../lib/use_hall.js";
import { useWall } from "../lib/use_wall.js";
import { unsent } from "../lib/wall_feed.js";
import { address, complaints, eventOf, read } from "../lib/wall_address.js";
import { leaderboardOf } from "../lib/words.js";
import { refusal } from "./connection.js";
import { Fade } from "./fade.js";
import { WallCards } from "./wall_cards.js";
import { WallEmpty } from "./wall_empty.js";
import { WallFoot, WallHead } from "./wall_frame.js";
import { WallHero } from "./wall_hero.js";
import { WallMenu } from "./wall_menu.js";
import { WallRail } from "./wall_rail.js";

const WIDE = "(width >= 100rem)";
const NARROW = "(60rem <= width < 80rem)"; // below it the page is scrolled
const FITTING = { wide: 16, usual: 9, narrow: 4 }; // so many leave room for names
/** @type {never[]} */
const NONE = [];
// Each part is drawn only if something is new of it: the small boards alone are drawn thirty times a second.
const [Head, Hero, Rail, Foot, Menu] = [memo(WallHead), memo(WallHero), memo(WallRail), memo(WallFoot), memo(WallMenu)];

/** @param {{query: URLSearchParams, games: GameItem[]}} props */
export function Tv({ query, games }) {
  const asked = useMemo(() => read(query), [query]);
  const [wide, narrow] = [useMedia(WIDE), useMedia(NARROW)];
  const fitting = FITTING[wide ? "wide" : narrow ? "narrow" : "usual"];
  const [about, setAbout] = useState(UNKNOWN);
  const [watching, setWatching] = useState({ match: "", count: /** @type {number|null} */ (null) });
  const { value: events } = useJson("tournaments", about.event ?? 0);
  const named = asked.event && events ? eventOf(asked.event, events) : null;
  const boards = Math.min(asked.boards ?? fitting, fitting);
  const known = !games.length || games.some(({ name }) => name === asked.game);
  const wish = useMemo(
    () => ({ boards, pins: asked.pins, event: named?.id ?? null, game: known ? asked.game : "", bot: asked.bot }),
    [boards, asked, named?.id, known],
  );
  const { event, round } = useEvent(events?.find(({ id }) => id === (wish.event ?? about.event)) ?? null, about.version);
  const places = useMemo(() => placesOf(event, round), [event, round]);
  const ratings = useRatings(about.games);
  const facts = useMemo(() => ({ places, ratings }), [places, ratings]);
  const { wall, feed, slots, status, why, next } = useWall(wish, facts, isReady(about, ratings, { event, round, asked: events !== null }));
  useEffect(() => setAbout((before) => aboutOf(before, feed, wish)), [feed, wish]);
  useTitle(`${event?.name ?? "Hall screen"}`);
  const connections = feed?.snapshots ?? 0;
  useEffect(() => {
    if (connections > 1) loadIfNewer(); // the server is back, perhaps as a newer one
  }, [connections]);
  useLayoutEffect(() => {
    document.documentElement.dataset.hall = ""; // the size of a rem, and no scrollbars, are for this view alone
    return () => delete document.documentElement.dataset.hall;
  }, []);
  const show = useSteady((/** @type {Partial<Asked>} */ change) => go(address({ ...asked, ...change }), { replace: true }));
  const hero = wall.hero?.entry.summary.match ?? "";
  const pin = useSteady((/** @type {string} */ match) => show({ pins: asked.pins.includes(match) ? asked.pins.filter((other) => other !== match) : [match, ...asked.pins] }));
  const skipped = useSteady(() => skip(asked, hero, show, next));
  const newest = useRef(hero);
  newest.current = hero;
  const watched = useCallback((/** @type {string} */ match, /** @type {number|null} */ count) => {
    if (match === newest.current) setWatching({ match, count }); // not that of the one that fades
  }, []);
  const viewers = watching.match === hero ? watching.count : null;
  const lost = status === "lost" || status === "refused";
  const said = complaints(query, { games, events, fitting });
  const alone = !slots.some(Boolean);
  const pinned = asked.pins.includes(hero);
  const game = wish.game || (wall.hero ? leaderboardOf(wall.hero.entry.summary) : "") || about.games.split(" ")[0];
  const large = wall.hero && html`<${Hero} key=${hero} shown=${wall.hero} lost=${lost} ratings=${ratings} place=${places.get(hero)} pinned=${pinned} watched=${watched} />`;
  return html`
    <div class="tv" data-lost=${lost ? "" : null} data-alone=${alone ? "" : null}>
      <${Head} event=${event} round=${round} running=${about.running} games=${games} game=${wish.game} bot=${wish.bot} />
      ${large ? html`<${Fade} key="hero" name=${hero} class="tv-hero">${large}</${Fade}>` : html`<${WallEmpty} known=${feed !== null && !about.running} wish=${asked} />`}
      ${!alone && html`<${WallCards} slots=${slots} lost=${lost} places=${places} pins=${asked.pins} pin=${pin} />`}
      <${Rail} event=${event} ended=${feed?.ended ?? NONE} wish=${wish} ratings=${ratings} game=${game} games=${games} />
      <${Foot} asked=${asked} event=${event} waiting=${wall.waiting + unsent(feed)} turn=${wall.turn} watching=${viewers} />
      <${Menu} asked=${asked} boards=${boards} fitting=${fitting} hero=${hero} show=${show} next=${skipped} pin=${pin} />
      <div class="tv-notes" role="status">
        ${said.map((sentence) => html`<p key=${sentence}>${sentence}</p>`)} ${lost && html`<p class="tv-pill">${why ? refusal(why) : "Connection lost, trying again"}</p>`}
      </div>
    </div>
  `;
}

/**
 * Whether all has been asked by which matches are chosen.
 *
 * @param {import("../lib/use_hall.js").About} about
 * @param {Record<string, unknown>} ratings
 * @param {{event: unknown, round: unknown, asked: boolean}} known
 */
function isReady(about, ratings, { event, round, asked }) {
  if (!about.running || !asked || (about.event !== null && !(event && round))) return false;
  return about.games.split(" ").every((game) => game in ratings);
}

/**
 * Turn to another large match: from a pinned one by letting it go.
 *
 * @param {Asked} asked
 * @param {string} hero
 * @param {(change: Partial<Asked>) => void} show
 * @param {() => void} next
 */
function skip(asked, hero, show, next) {
  if (asked.pins.includes(hero)) show({ pins: asked.pins.filter((match) => match !== hero) });
  next();
}
