/**
 * The part of Markdown that rules are written in: paragraphs, lists, tables; code, bold and links in a line.
 *
 * @typedef {{kind: "text"|"code"|"bold"|"link", text: string, href?: string}} Span
 * @typedef {{kind: "paragraph", spans: Span[]}|{kind: "list", items: Span[][]}|{kind: "table", head: Span[][], rows: Span[][][]}} Block
 */

/**
 * @param {string} text
 * @returns {Block[]}
 */
export function blocks(text) {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map(block);
}

/**
 * @param {string} part
 * @returns {Block}
 */
function block(part) {
  if (part.startsWith("- ")) return { kind: "list", items: part.split(/\n(?=- )/).map((item) => spans(joined(item.slice(2)))) };
  if (part.startsWith("|")) {
    const [head, , ...rows] = part.split("\n").map((line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => spans(cell.trim())));
    return { kind: "table", head, rows };
  }
  return { kind: "paragraph", spans: spans(joined(part)) };
}

const MARKED = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * A line in its parts. A link within our sources leads nowhere from a page: its words are kept.
 *
 * @param {string} line
 * @returns {Span[]}
 */
export function spans(line) {
  /** @type {Span[]} */
  const found = [];
  let end = 0;
  for (const match of line.matchAll(MARKED)) {
    const [whole, code, bold, link, href] = match;
    if (match.index > end) found.push({ kind: "text", text: line.slice(end, match.index) });
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (bold !== undefined) found.push({ kind: "bold", text: bold });
    else if (/^https?:\/\//.test(href)) found.push({ kind: "link", text: link, href });
    else found.push(...spans(link));
    end = match.index + whole.length;
  }
  if (end < line.length) found.push({ kind: "text", text: line.slice(end) });
  return found;
}

/** @param {string} text */
function joined(text) {
  return text.replace(/\s*\n\s*/g, " ");
}
