/**
 * Addresses of the page's views, relative to the page's base: `` is the lobby's, `match/<id>` a match's,
 * `tournaments/<id>/rounds/3` a part of an event's, and so on for each pattern of `lib/routes.js`.
 *
 * @typedef {{view: string, id: string, rest: string[]}} Here  `id`: the first free word, `rest`: those after it
 * @typedef {{view: string, pattern: string}} Pattern  "match/:id": a word with a colon is free, with a `?` it may be missing
 */

const LOBBY = "./"; // the base itself

/** @type {Record<string, string>} */
const FORMER = { tournament: "tournaments", leaderboard: "games" }; // first words of addresses that were hashes

/**
 * Which view an address shows: that of the first pattern that fits, or that nothing is there ("lost").
 *
 * @param {string} path  below the page's base
 * @param {Pattern[]} patterns
 * @returns {Here}
 */
export function route(path, patterns) {
  const words = path.split("/").filter(Boolean).map(decode);
  for (const { view, pattern } of patterns) {
    const free = fit(pattern.split("/").filter(Boolean), words);
    if (free) return { view, id: free[0] ?? "", rest: free.slice(1) };
  }
  return { view: "lost", id: words.join("/"), rest: [] };
}

/**
 * The address of a view, or of a part of it.
 *
 * @param {string} view  the first word of its pattern; "lobby" for the page's base
 * @param {(string|number)[]} words
 */
export function to(view, ...words) {
  if (view === "lobby") return LOBBY;
  return [view, ...words.map(String)].filter(Boolean).map(encodeURIComponent).join("/");
}

/**
 * An address with a query; what is empty or null is left out.
 *
 * @param {string} path
 * @param {Record<string, string|number|boolean|null|undefined>} query
 */
export function asking(path, query) {
  const kept = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/**
 * What a hash of former versions of the page (`#/leaderboard/chexers`) is called now; null for any other hash.
 *
 * @param {string} hash
 */
export function fromHash(hash) {
  if (!hash.startsWith("#/")) return null;
  const [first = "", ...rest] = hash.slice(2).split("/").filter(Boolean);
  return first ? [FORMER[first] ?? first, ...rest].join("/") : LOBBY;
}

/**
 * The free words of an address, or null if the pattern does not fit.
 *
 * @param {string[]} pattern
 * @param {string[]} words
 */
function fit(pattern, words) {
  if (words.length > pattern.length) return null;
  const free = [];
  for (const [index, part] of pattern.entries()) {
    const word = words[index];
    if (word === undefined) {
      if (!part.endsWith("?")) return null;
    } else if (part.startsWith(":")) free.push(word);
    else if (part !== word) return null;
  }
  return free;
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part; // a hand-typed "%": shown as it is, and not found
    throw error;
  }
}
