import { duration } from '../../format/duration.js';
import { compact, percent, unknown } from '../../format/number.js';
import { kindOf, type StateKind, signs } from '../../shell/states.js';
import type { Figures } from './figures.js';
import type { Scale } from './graph-search.js';

/** What a figure looks like: by its sign and its words too, never by its colour alone. */
export interface Shade {
  /** Name of a colour of the style sheet: a state's, or `step-0` to `step-4`; `step-none` where nothing is known. */
  readonly color: string;
  readonly sign: string;
  readonly text: string;
}

/** Where each step but the first begins. Fixed, so that a colour means the same tomorrow. */
const steps: Readonly<Record<Exclude<Scale, 'state'>, readonly [number, number, number, number]>> = {
  latency: [10, 100, 1000, 10_000],
  lag: [2, 5, 20, 100],
  cpu: [25, 50, 75, 90],
  failures: [1, 2, 5, 20],
  backpressure: [0.1, 0.3, 0.6, 0.9],
};

const bars = ['▁', '▂', '▄', '▆', '█'] as const;

const written: Readonly<Record<Exclude<Scale, 'state'>, (value: number) => string>> = {
  latency: duration,
  lag: (windows) => `${compact(windows)} ${windows === 1 ? 'window' : 'windows'}`,
  cpu: (share) => percent(share / 100),
  failures: (count) => `${compact(count)} ${count === 1 ? 'failure' : 'failures'}`,
  backpressure: percent,
};

const read: Readonly<Record<Exclude<Scale, 'state'>, (figures: Figures) => number | undefined>> = {
  latency: ({ latency }) => latency,
  lag: ({ lag }) => lag,
  cpu: ({ cpu }) => cpu,
  failures: ({ failures }) => failures,
  backpressure: ({ blocked }) => blocked,
};

export function shadeOf(scale: Scale, figures: Figures | undefined): Shade {
  if (!figures) return { color: 'step-none', sign: signs.unknown, text: unknown };
  if (scale === 'state') return stateShade(figures.states);
  const value = read[scale](figures);
  if (value === undefined || !Number.isFinite(value) || value < 0)
    return { color: 'step-none', sign: signs.unknown, text: unknown };
  const step = stepOf(scale, value);
  return { color: `step-${step}`, sign: bars[step] ?? '', text: written[scale](value) };
}

const stepOf = (scale: Exclude<Scale, 'state'>, value: number): number =>
  steps[scale].filter((from) => value >= from).length;

/** The worst first. */
const order: readonly StateKind[] = ['failed', 'killed', 'warning', 'unknown', 'waiting', 'ended', 'running'];

export function worstState(states: Readonly<Record<string, number>>): string | undefined {
  const rank = (state: string) => order.indexOf(kindOf(state));
  return Object.keys(states)
    .filter((state) => (states[state] ?? 0) > 0)
    .sort((a, b) => rank(a) - rank(b))[0];
}

function stateShade(states: Readonly<Record<string, number>>): Shade {
  const worst = worstState(states);
  if (worst === undefined) return { color: 'step-none', sign: signs.unknown, text: unknown };
  const kind = kindOf(worst);
  const all = Object.values(states).reduce((sum, count) => sum + count, 0);
  const word = worst.toLowerCase().replaceAll('_', ' ');
  const count = states[worst] ?? 0;
  return { color: kind, sign: signs[kind], text: count === all ? word : `${count} of ${all} ${word}` };
}

interface LegendEntry {
  readonly color: string;
  readonly sign: string;
  readonly text: string;
}

const legendStates = ['ACTIVE', 'PENDING_DEPLOY', 'FAILED', 'INACTIVE'] as const;

export function legendOf(scale: Scale): readonly LegendEntry[] {
  if (scale === 'state') return legendStates.map((state) => stateShade({ [state]: 1 }));
  const from = steps[scale];
  const say = written[scale];
  return bars.map((sign, step) => ({
    color: `step-${step}`,
    sign,
    text: step === 0 ? `< ${say(from[0])}` : `≥ ${say(from[step - 1] ?? 0)}`,
  }));
}
