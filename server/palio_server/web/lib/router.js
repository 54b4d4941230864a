/**
 * Addresses of the page's views: `#/` is the lobby's, `#/match/<id>` a match's, and so on for each view of `app.js`.
 *
 * @typedef {{view: string, id: string}} Here
 */

/**
 * Which view an address shows: one of `views`, or the lobby, or that nothing is there ("lost").
 *
 * @param {string} hash
 * @param {{has(view: string): boolean}} views
 * @returns {Here}
 */
export function route(hash, views) {
  const parts = hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decode);
  if (parts.length === 0) return { view: "lobby", id: "" };
  const [view, id = ""] = parts;
  if (parts.length === 2 && views.has(view)) return { view, id };
  return { view: "lost", id: parts.join("/") };
}

/**
 * The address of a view.
 *
 * @param {string} view
 * @param {string} [id]
 */
export function to(view, id = "") {
  return view === "lobby" ? "#/" : `#/${view}/${encodeURIComponent(id)}`;
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
