/** A bot's rating over time with its error band, drawn by uPlot, which is asked for when the first chart is shown. */

/** @import { BotHistory } from "../types/wire.js" */
/** @import { Series, Change } from "../lib/rating_series.js" */

import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useMedia } from "../lib/hooks.js";
import { SPANS, changes, labels, range, series, within } from "../lib/rating_series.js";
import { day } from "../lib/when.js";

const DAYS = 90; // that are shown first

/** @param {{history: BotHistory}} props */
export function RatingChart({ history }) {
  const [days, setDays] = useState(DAYS);
  const shown = useMemo(() => within(history.points, days, Date.now()), [history, days]);
  if (history.points.length < 2) return html`<p class="quiet">The line begins with the second result.</p>`;
  return html`
    <div class="spans" role="group" aria-label="How far back">
      ${SPANS.map(
        ([words, span]) => html`<button type="button" key=${words} aria-pressed=${span === days ? "true" : "false"} onClick=${() => setDays(Number(span))}>${words}</button>`,
      )}
    </div>
    ${shown.length > 1 ? html`<${Plot} points=${shown} history=${history} />` : html`<p class="quiet chart-none">No result in the last ${days} days.</p>`}
    <details class="chart-table">
      <summary>The same as a table</summary>
      <div class="scroll" role="region" aria-label="Ratings" tabindex="0">
        <table class="plain-table">
          <caption class="unseen">Ratings, the newest first</caption>
          <thead><tr><th scope="col">Day</th><th scope="col" class="num">Rating</th><th scope="col" class="num">95 % interval</th></tr></thead>
          <tbody>
            ${[...shown].reverse().map(
              ({ at, rating, error }) => html`<tr key=${at}><td>${day(at)}</td><td class="num">${Math.round(rating)}</td><td class="num">${Math.round(rating - error)} to ${Math.round(rating + error)}</td></tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  `;
}

/** @param {{points: BotHistory["points"], history: BotHistory}} props */
function Plot({ points, history }) {
  const box = useRef(/** @type {HTMLDivElement|null} */ (null));
  const [at, setAt] = useState(/** @type {number|null} */ (null));
  const dark = useMedia("(prefers-color-scheme: dark)");
  const data = useMemo(() => series(points), [points]);
  const marks = useMemo(() => changes(history.builds, points), [history, points]);
  useEffect(() => {
    let plot = /** @type {import("../vendor/uplot.js").default|null} */ (null);
    let gone = false;
    const target = box.current;
    if (!target) return undefined;
    const fit = new ResizeObserver(() => plot?.setSize({ width: target.clientWidth, height: target.clientHeight }));
    import("../vendor/uplot.js").then(({ default: UPlot }) => {
      if (gone) return;
      target.replaceChildren();
      plot = new UPlot(options(target, data, marks, setAt), [data.times, data.ratings, data.highs, data.lows], target);
      fit.observe(target);
    }, () => setAt(null));
    return () => {
      gone = true;
      fit.disconnect();
      plot?.destroy();
    };
  }, [data, marks, dark]);
  const step = (/** @type {KeyboardEvent} */ event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    setAt((now) => Math.min(points.length - 1, Math.max(0, (now ?? (way > 0 ? -1 : points.length)) + way)));
  };
  const point = points[at ?? points.length - 1] ?? points[points.length - 1]; // a shorter span has come since
  return html`
    <div
      class="rating-plot" ref=${box} role="slider" tabindex="0" aria-label="Rating over time" onKeyDown=${step} aria-valuemin="0"
      aria-valuemax=${points.length - 1} aria-valuenow=${at ?? points.length - 1} aria-valuetext=${spoken(point)}
    ></div>
    <p class="chart-reading">
      <b>${Math.round(point.rating)}</b> ±${Math.round(point.error)} <small>${day(point.at)}${point.provisional ? ", provisional" : ""}</small>
      ${marks.length > 0 && html`<small class="chart-key">dashed: another program</small>`}
    </p>
  `;
}

/** @param {BotHistory["points"][number]} point */
function spoken({ at, rating, error }) {
  return `${day(at)}: ${Math.round(rating)}, give or take ${Math.round(error)}`;
}

/**
 * @param {HTMLElement} target
 * @param {Series} data
 * @param {Change[]} marks
 * @param {(index: number|null) => void} show
 */
function options(target, data, marks, show) {
  const style = getComputedStyle(target);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const [line, soft, gold, ink] = ["--line", "--soft", "--gold", "--chart"].map(colour);
  const axis = { stroke: soft, font: `12px ${colour("--sans")}`, ticks: { show: false } };
  const [low, high] = range(data);
  return {
    width: target.clientWidth,
    height: target.clientHeight,
    legend: { show: false },
    padding: [10, 8, 0, 26],
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 9 } },
    scales: { y: { range: [low, high] } },
    bands: [{ series: [2, 3], fill: colour("--chart-band") }],
    series: [{}, { stroke: ink, width: 2 }, { width: 0, points: { show: false } }, { width: 0, points: { show: false } }],
    axes: [
      { ...axis, grid: { show: false }, space: 90, values: (/** @type {unknown} */ _, /** @type {number[]} */ splits) => labels(splits) },
      { ...axis, side: 1, size: 46, grid: { stroke: line, width: 1 } },
    ],
    hooks: {
      setCursor: [(/** @type {import("../vendor/uplot.js").default} */ plot) => show(plot.cursor.idx ?? null)],
      draw: [(/** @type {import("../vendor/uplot.js").default} */ plot) => drawChanges(plot, marks, gold, soft)],
    },
  };
}

/**
 * @param {import("../vendor/uplot.js").default} plot
 * @param {Change[]} marks
 * @param {string} gold
 * @param {string} soft
 */
function drawChanges(plot, marks, gold, soft) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = gold;
  ctx.fillStyle = soft;
  ctx.lineWidth = devicePixelRatio * 1.5;
  ctx.font = `${12 * devicePixelRatio}px sans-serif`;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  const step = 15 * devicePixelRatio; // the words of changes that are close to each other stand one above the other
  for (const [index, { at, words }] of marks.entries()) {
    const x = plot.valToPos(at, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const left = x + ctx.measureText(words).width + 8 * devicePixelRatio > bbox.left + bbox.width;
    ctx.textAlign = left ? "right" : "left";
    ctx.fillText(words, x + (left ? -6 : 6) * devicePixelRatio, bbox.top + bbox.height - 8 * devicePixelRatio - (index % 4) * step);
  }
  ctx.restore();
}
