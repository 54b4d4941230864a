/**
 * Addresses of the page's views: `#/` is the lobby's, `#/match/<id>` a match's, `#/tournament/<id>/rounds/3` a part of a
 * tournament's, and so on for each view of `app.js`.
 *
 * @typedef {{view: string, id: string, rest: string[]}} Here  `rest`: the words after the view's identity
 * @typedef {{get(view: string): {least: number, most: number}|undefined}} Views  how many words follow the first one
 */

/**
 * Which view an address shows: one of `views`, or the lobby, or that nothing is there ("lost").
 *
 * @param {string} hash
 * @param {Views} views
 * @returns {Here}
 */
export function route(hash, views) {
  const parts = hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);
  if (parts.length === 0) return { view: "lobby", id: "", rest: [] };
  const [view, id = "", ...rest] = parts;
  const known = views.get(view);
  const follow = parts.length - 1;
  if (known && known.least <= follow && follow <= known.most) return { view, id, rest };
  return { view: "lost", id: parts.join("/"), rest: [] };
}

/**
 * The address of a view, or of a part of it.
 *
 * @param {string} view
 * @param {(string|number)[]} words
 */
export function to(view, ...words) {
  if (view === "lobby") return "#/";
  return `#/${[view, ...words.map(String)].filter(Boolean).map(encodeURIComponent).join("/")}`;
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
