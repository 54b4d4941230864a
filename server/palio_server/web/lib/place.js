/**
 * The attribute that puts an element where a drawing has it, in pixels. The content policy allows no styles in the text of
 * a page; what a script sets, it does.
 *
 * @param {Partial<Record<"left"|"top"|"width"|"height", number>>} box
 */
export function at(box) {
  return { style: Object.fromEntries(Object.entries(box).map(([side, value]) => [side, `${value}px`])) };
}

/**
 * The attribute for any other style that a script sets.
 *
 * @param {Record<string, string>} style
 */
export function styled(style) {
  return { style };
}
