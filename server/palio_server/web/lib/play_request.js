/** What a person asks for, from the form and the opponent that was chosen; and who can be chosen. */

/** @import { BotItem, GameItem, HouseBot, Opponent, PlayRequest } from "../types/wire.js" */

/** @typedef {{house: string}|{bot: string}|{friend: true}} Choice */

/** @typedef {{value: string, name: string, title: string, level: number, rating: number|null, choice: Choice}} Candidate */

export const FRIEND = "friend";
export const NOBODY = "";

/** @type {[value: string, label: string][]} */
export const CLOCKS = [
  ["", "no clock"],
  ["300+3", "5 min + 3 s a move"],
  ["60+1", "1 min + 1 s a move"],
  ["900+10", "15 min + 10 s a move"],
];

const LONGEST_NAME = 27; // characters of a guest's own part
const NAME = new RegExp(`^[A-Za-z0-9._-]{1,${LONGEST_NAME}}$`);

/**
 * Why a guest cannot have this name, in the server's words; "" if it can.
 *
 * @param {string} name  "": the guest has none of its own
 */
export function nameFault(name) {
  if (!name || NAME.test(name)) return "";
  return `'${name.slice(0, 40)}' is no name for a guest; use 1 to ${LONGEST_NAME} letters a to z, digits and any of . _ -`;
}

const LEVELS = ["", "beginner", "easy", "fair", "strong", "very strong"];

/**
 * Whom one can play at a game: the house's bots by strength, then the connected ones that are free.
 *
 * @param {string} game
 * @param {HouseBot[]} house
 * @param {BotItem[]} bots
 * @returns {Candidate[]}
 */
export function candidates(game, house, bots) {
  const ours = house
    .filter(({ games }) => games.includes(game))
    .sort((a, b) => a.level - b.level)
    .map(({ name, title, level, ratings }) => ({ value: `house ${name}`, name, title, level, rating: ratings[game] ?? null, choice: { house: name } }));
  const own = new Set(house.map(({ name }) => name));
  const theirs = bots
    .filter(({ name, connected, games }) => connected && games.includes(game) && !own.has(name) && !/^(guest|house)-/.test(name))
    .map(({ name, playing, slots }) => ({ value: `bot ${name}`, name, title: playing >= slots ? "plays now" : "connected", level: 0, rating: null, choice: { bot: name } }));
  return [...ours, ...theirs];
}

/**
 * "easy · 1190", of what is known.
 *
 * @param {Candidate} candidate
 */
export function strength({ level, title, rating }) {
  const words = level ? title || LEVELS[level] : title;
  return [words, rating === null ? "" : String(Math.round(rating))].filter(Boolean).join(" · ");
}

/**
 * The next stronger bot of the house; null at the top, or after a game with somebody else.
 *
 * @param {Candidate[]} all
 * @param {Opponent[]} opponents
 */
export function stronger(all, opponents) {
  const level = Math.max(0, ...opponents.map(({ house }) => all.find(({ choice }) => "house" in choice && choice.house === house)?.level ?? 0));
  return (level && all.find((each) => each.level > level)) || null;
}

/**
 * What is posted. `chosen` are candidates' values; a table with more seats than are chosen has the first one in all of
 * them.
 *
 * @param {GameItem} game
 * @param {string[]} chosen
 * @param {Candidate[]} all
 * @param {FormData} form
 * @returns {PlayRequest}
 */
export function request(game, chosen, all, form) {
  const text = (/** @type {string} */ name) => String(form.get(name) ?? "").trim();
  const choices = chosen.filter(Boolean).map((value) => (value === FRIEND ? { friend: true } : all.find((each) => each.value === value)?.choice));
  const opponents = choices.flatMap((choice) => (choice ? [choice] : []));
  const seats = game.kind === "race" ? opponents.length + 1 : game.seats.length;
  while (opponents.length && opponents.length < seats - 1) opponents.push(opponents[0]);
  /** @type {Record<string, string>} */
  const options = {};
  for (const { name } of game.options) if (text(`option ${name}`)) options[name] = text(`option ${name}`);
  /** @type {PlayRequest} */
  const body = { game: game.name, opponents: /** @type {Opponent[]} */ (opponents), options };
  if (text("seat")) body.seat = Number(text("seat"));
  if (text("tc")) body.tc = text("tc");
  if (text("seed")) body.seed = Number(text("seed"));
  if (text("name")) body.name = text("name");
  if (form.has("rated")) body.rated = true;
  return body;
}
