import type { Figures, Frame, PortFigures } from './figures.js';
import type { CountedPort, RateSource } from './rates.js';

/** Tuples a second; `undefined` where a port of it is not known. */
export function rateIn(source: RateSource, frame: Frame): number | undefined {
  if (!source) return undefined;
  const rates = source.ports.map((port) => rateOf(port, source.side, frame.of(port.id)));
  return rates.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
}

function rateOf(
  port: CountedPort,
  side: 'input' | 'output',
  figures: Figures | undefined,
): number | undefined {
  if (!figures) return undefined;
  const counted = figures.ports.find(({ name, type }) => name === port.port && type === side);
  if (counted) return counted.tuplesPSMA;
  if (!port.isOnly) return undefined;
  return side === 'input' ? figures.processed : figures.emitted;
}

interface Partition {
  readonly logicalName: string;
  readonly isUnifier: boolean;
  readonly ports: readonly PortFigures[];
}

/** Of logical operators the ports alone: each summed up over the partitions. What unifiers pass on was counted before them. */
export function portFrame({ operators }: { readonly operators: readonly Partition[] }): Frame {
  const all = new Map<string, Map<string, PortFigures>>();
  for (const { logicalName, isUnifier, ports } of operators) {
    if (isUnifier) continue;
    const known = all.get(logicalName) ?? new Map<string, PortFigures>();
    all.set(logicalName, known);
    for (const port of ports) {
      const key = `${port.type} ${port.name}`;
      known.set(key, { ...port, tuplesPSMA: summed(port.tuplesPSMA, known.get(key)) });
    }
  }
  return {
    of(id) {
      const ports = all.get(id);
      return ports && { ...nothing, ports: [...ports.values()] };
    },
  };
}

const nothing = {
  states: {},
  partitions: 0,
  processed: 0,
  emitted: 0,
  latency: 0,
  cpu: 0,
  failures: 0,
  window: '0',
} as const;

/** Not known as soon as one of them is not. */
function summed(own: number | undefined, before: PortFigures | undefined): number | undefined {
  if (!before || own === undefined) return own;
  return before.tuplesPSMA === undefined ? undefined : own + before.tuplesPSMA;
}
