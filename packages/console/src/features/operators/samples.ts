import type { Sample } from '../../charts/series.js';

interface Kept {
  readonly operatorId: string;
  readonly timestamp: number;
  readonly stats: Figures;
}

interface Figures {
  readonly tuplesProcessedPSMA?: number | undefined;
  readonly tuplesEmittedPSMA?: number | undefined;
  readonly latencyMA?: number | undefined;
  readonly cpuPercentageMA?: number | undefined;
}

/** In, out, latency, share of a processor in percent. */
export const sampleOf = (at: number, figures: Figures): Sample => ({
  at,
  values: [
    known(figures.tuplesProcessedPSMA),
    known(figures.tuplesEmittedPSMA),
    known(figures.latencyMA),
    known(figures.cpuPercentageMA),
  ],
});

const known = (value = -1): number | undefined => (value >= 0 ? value : undefined);

/**
 * What was recorded of some partitions as values of all of them together: rates and processors summed up, latency the largest. Each
 * is told by itself, so a moment takes what each told last, unless that is older than `gapMillis`.
 */
export function samplesOf(stats: readonly Kept[], gapMillis: number, opId?: string): readonly Sample[] {
  const samples: Sample[] = [];
  const last = new Map<string, Kept>();
  for (const kept of [...stats].sort((a, b) => a.timestamp - b.timestamp)) {
    if (opId !== undefined && kept.operatorId !== opId) continue;
    last.set(kept.operatorId, kept);
    for (const [id, { timestamp }] of last) if (kept.timestamp - timestamp > gapMillis) last.delete(id);
    const sample = sampleOf(kept.timestamp, together([...last.values()].map(({ stats }) => stats)));
    // Partitions tell of the same second one after another: the last of them knows all.
    if (Math.floor((samples.at(-1)?.at ?? 0) / 1000) === Math.floor(kept.timestamp / 1000)) samples.pop();
    samples.push(sample);
  }
  return samples;
}

function together(all: readonly Figures[]): Figures {
  const sum = (pick: (figures: Figures) => number | undefined) => {
    const told = all.flatMap((figures) => pick(figures) ?? []);
    return told.length === 0 ? undefined : told.reduce((total, one) => total + Math.max(0, one), 0);
  };
  return {
    tuplesProcessedPSMA: sum(({ tuplesProcessedPSMA }) => tuplesProcessedPSMA),
    tuplesEmittedPSMA: sum(({ tuplesEmittedPSMA }) => tuplesEmittedPSMA),
    latencyMA: Math.max(-1, ...all.map(({ latencyMA = -1 }) => latencyMA)),
    cpuPercentageMA: sum(({ cpuPercentageMA }) => cpuPercentageMA),
  };
}
