import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { rounded } from '../bench/report.js';
import type { Results, SavedLine } from '../bench/results.js';
import { goalRows } from './performance-rows.js';

// docs/performance.svg: of each line that has a peer or limit how far ahead of it we are, and where the goal is. It stands on a
// ground of its own, since GitHub shows it on a light page or a dark one.

const colours = { ground: '#ffffff', text: '#1f2328', faint: '#d1d9e0', met: '#1a7f5a', missed: '#c4571b' };
const font = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif';
/** Pixels. The library can't measure texts without a browser, so there is a place for them. */
const sizes = { step: 19, bars: 300, labels: 460, figures: 330, above: 64, below: 44 };
/** Times as good as the peer; further out a bar ends at the edge. */
const [worst, best] = [1 / 8, 16];

interface Bar {
  readonly row: string;
  /** Times as good as the peer: as fast, as small, as soon. */
  readonly ahead: number;
  readonly goal: number;
  readonly isMet: boolean;
  readonly figure: string;
}

function barOf(row: string, { figure, goal, peer, isMet }: SavedLine): Bar | undefined {
  if (figure === null || figure <= 0 || peer === undefined || goal === undefined || isMet === undefined)
    return undefined;
  const [wanted, words, isMore] =
    'atLeast' in goal
      ? [goal.atLeast, `at least ${goal.atLeast}`, true]
      : [goal.atMost, `at most ${goal.atMost}`, false];
  const within = (ratio: number) => Math.min(best, Math.max(worst, isMore ? ratio : 1 / ratio));
  return {
    row,
    ahead: Number(within(figure).toPrecision(4)),
    goal: Number(within(wanted).toPrecision(4)),
    isMet,
    figure: `${rounded(figure)} of ${peer} (${words})`,
  };
}

export const barsOf = (results: Results): readonly Bar[] =>
  goalRows(results).flatMap(({ bench, what, line }) => {
    // The peer stands on the other side.
    const bar = barOf(`${bench}: ${what.replace(/ \/ [^,:]*/, '')}`, line);
    return bar ? [bar] : [];
  });

function specOf(bars: readonly Bar[]): TopLevelSpec {
  // By its number: two lines may differ in their peers alone.
  const y = { field: 'number', type: 'ordinal' as const, axis: null };
  const x = {
    type: 'quantitative' as const,
    scale: { type: 'log' as const, base: 2, domain: [worst, best] },
    axis: {
      title: 'times as good as the peer or limit of the same run (as fast, as small, as soon)',
      values: [0.125, 0.25, 0.5, 1, 2, 4, 8, 16],
      format: '~g',
      labelOverlap: false,
      labelFlush: false,
      titlePadding: 8,
    },
  };
  return {
    width: sizes.bars,
    height: { step: sizes.step },
    padding: { left: sizes.labels, right: sizes.figures, top: sizes.above, bottom: sizes.below },
    autosize: 'none',
    background: colours.ground,
    title: {
      text: 'Headgate beside its peers and limits',
      subtitle: 'Bars to the right of 1 are ahead. The line in each is the goal; green reached it.',
      frame: 'group',
      anchor: 'start',
      dx: 20 - sizes.labels,
      offset: 12,
    },
    data: { values: bars.map((bar, number) => ({ ...bar, number })) },
    layer: [
      {
        mark: { type: 'bar', height: 11 },
        encoding: {
          y,
          x: { ...x, field: 'ahead' },
          x2: { datum: 1 },
          color: {
            field: 'isMet',
            type: 'nominal',
            legend: null,
            scale: { domain: [true, false], range: [colours.met, colours.missed] },
          },
        },
      },
      { mark: { type: 'rule', strokeWidth: 1.5, color: colours.text }, encoding: { x: { datum: 1 } } },
      {
        mark: { type: 'tick', thickness: 2.5, size: 17, opacity: 1, color: colours.text },
        encoding: { y, x: { ...x, field: 'goal' } },
      },
      {
        mark: { type: 'text', align: 'right', x: -10, fontSize: 11, color: colours.text },
        encoding: { y, text: { field: 'row' } },
      },
      {
        mark: { type: 'text', align: 'left', x: sizes.bars + 10, fontSize: 11, color: colours.text },
        encoding: { y, text: { field: 'figure' } },
      },
    ],
    config: {
      aria: false,
      font,
      axis: {
        labelFontSize: 11,
        labelColor: colours.text,
        titleColor: colours.text,
        titleFontWeight: 'normal',
      },
      axisX: { gridColor: colours.faint, domainColor: colours.faint, tickColor: colours.faint },
      title: { fontSize: 15, color: colours.text, subtitleColor: colours.text, subtitleFontSize: 12 },
      view: { stroke: null },
    },
  };
}

/** The picture as SVG; the same results give the same bytes. */
export async function performancePicture(results: Results): Promise<string> {
  const view = new View(parse(compile(specOf(barsOf(results))).spec), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}
