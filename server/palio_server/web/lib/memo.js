/**
 * A component that is drawn again only if something is new of it.
 *
 * Elements are never kept for that (`useMemo(() => html...)`): a kept element holds the trees in which it once stood, and
 * these hold older ones, so that a page left open grows without end.
 */

import { h } from "../vendor/preact.js";

/** @import { Renderable } from "../vendor/preact.js" */

/**
 * @template {object} P
 * @param {(props: P) => Renderable} component
 * @param {(before: P, next: P) => boolean} [same]  whether it need not be drawn again; all props are the same objects
 * @returns {(props: P) => Renderable}
 */
export function memo(component, same = alike) {
  const differs = (/** @type {P} */ before, /** @type {P} */ next) => !same(before, next);
  /**
   * @this {{props: P, shouldComponentUpdate: (next: P) => boolean}}
   * @param {P} props
   */
  function Memo(props) {
    this.shouldComponentUpdate ??= function (next) {
      return differs(this.props, next);
    };
    return h(component, props);
  }
  return /** @type {(props: P) => Renderable} */ (/** @type {unknown} */ (Memo));
}

/**
 * Whether two objects have the same values under the same names.
 *
 * @param {object} before
 * @param {object} next
 */
export function alike(before, next) {
  const [one, other] = [Object.entries(before), Object.entries(next)];
  return one.length === other.length && one.every(([name, value]) => Object.is(value, Reflect.get(next, name)));
}
