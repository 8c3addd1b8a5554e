import type { OperatorReport } from '../protocol/protocol.js';

/** The engine's own bound; a longer interval of more frequent samples is shortened. */
const keptSamples = 1000;

/** Growth of a total per second, over the newest `intervalMillis`, or the time since the first sample where that is shorter. */
export class MovingRate {
  readonly #intervalMillis: number;
  #samples: { at: number; total: number }[] = [];

  constructor(intervalMillis: number) {
    this.#intervalMillis = intervalMillis;
  }

  add(at: number, total: number): void {
    const samples = this.#samples;
    samples.push({ at, total });
    while (samples.length > keptSamples || (samples[1]?.at ?? Infinity) <= at - this.#intervalMillis)
      samples.shift();
  }

  get(): number {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at <= first.at) return 0;
    return rounded(((last.total - first.total) * 1000) / (last.at - first.at));
  }
}

/** More decimals would be noise, which every topic would carry to everybody once a second. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

interface PortStatistics {
  readonly name: string;
  readonly type: 'input' | 'output';
  tuples: number;
  bytes: number;
  queued: number;
  /** What the running instance reported last; it counts from 0. */
  last: { tuples: number; bytes: number };
  readonly tupleRate: MovingRate;
  readonly byteRate: MovingRate;
}

const keptEnds = 128;

/** What is known of one physical operator, over all its deployments. */
export class OperatorStatistics {
  failureCount = 0;
  window = -1;
  lastHeartbeat = -1;
  /** Epoch milliseconds at which it was seen in another window than before. */
  windowSince = -1;
  counters: Readonly<Record<string, number>> = {};
  /** Tuples that wait for readers in other containers, by the reader's id. */
  unsent: Readonly<Record<string, number>> = {};
  checkpoint = { startedAt: 0, millis: 0, average: 0 };
  readonly ports = new Map<string, PortStatistics>();
  /** Window to monotonic milliseconds of its end, oldest first. */
  readonly ends = new Map<number, number>();
  #cpu: MovingRate;
  #cpuMillis = 0;
  #lastCpu = 0;
  readonly #interval: number;
  /** Tuples of inputs that are not connected any more. */
  #before = 0;

  constructor(intervalMillis: number) {
    this.#interval = intervalMillis;
    this.#cpu = new MovingRate(intervalMillis);
  }

  /** Share of one core, percent. */
  get cpuPercentage(): number {
    return rounded(this.#cpu.get() / 10);
  }

  /** A new instance begins after this window: its counts start from 0. */
  deployed(window: number): void {
    this.window = window;
    this.#lastCpu = 0;
    this.windowSince = -1;
    this.ends.clear();
    this.unsent = {};
    for (const port of this.ports.values()) {
      port.last = { tuples: 0, bytes: 0 };
      port.queued = 0;
    }
  }

  /** The plan changed: input ports by these names are left. What came through others stays in the total. */
  connected(inputs: ReadonlySet<string>): void {
    for (const [key, { type, name, tuples }] of this.ports) {
      if (type === 'output' || inputs.has(name)) continue;
      this.#before += tuples;
      this.ports.delete(key);
    }
  }

  /** `monotonic`: when the container measured it; `now`: epoch milliseconds at which it is heard of. */
  apply(report: OperatorReport, monotonic: number, now: number): void {
    if (report.window > this.window || this.windowSince < 0) this.windowSince = now;
    this.window = Math.max(this.window, report.window);
    this.lastHeartbeat = now;
    this.#cpuMillis += report.cpuMillis - this.#lastCpu;
    this.#lastCpu = report.cpuMillis;
    this.#cpu.add(monotonic, this.#cpuMillis);
    this.unsent = report.unsent;
    if (Object.keys(report.counters).length > 0) this.counters = report.counters;
    for (const [window, at] of report.ends) this.ends.set(window, at);
    for (const window of this.ends.keys()) {
      if (this.ends.size <= keptEnds) break;
      this.ends.delete(window);
    }
    for (const port of report.ports) this.#applyPort(port, monotonic);
  }

  checkpointed(startedAt: number, millis: number): void {
    const average = this.checkpoint.average === 0 ? millis : this.checkpoint.average * 0.8 + millis * 0.2;
    this.checkpoint = { startedAt, millis, average };
  }

  total(type: 'input' | 'output'): number {
    return this.#sum(type, (port) => port.tuples) + (type === 'input' ? this.#before : 0);
  }

  rate(type: 'input' | 'output'): number {
    return rounded(this.#sum(type, (port) => port.tupleRate.get()));
  }

  byteRate(type: 'input' | 'output'): number {
    return rounded(this.#sum(type, (port) => port.byteRate.get()));
  }

  #sum(type: 'input' | 'output', of: (port: PortStatistics) => number): number {
    let sum = 0;
    for (const port of this.ports.values()) if (port.type === type) sum += of(port);
    return sum;
  }

  #applyPort(report: OperatorReport['ports'][number], monotonic: number): void {
    const key = `${report.type}:${report.name}`;
    let port = this.ports.get(key);
    if (!port) {
      port = {
        name: report.name,
        type: report.type,
        tuples: 0,
        bytes: 0,
        queued: 0,
        last: { tuples: 0, bytes: 0 },
        tupleRate: new MovingRate(this.#interval),
        byteRate: new MovingRate(this.#interval),
      };
      this.ports.set(key, port);
    }
    port.tuples += report.tuples - port.last.tuples;
    port.bytes += report.bytes - port.last.bytes;
    port.last = { tuples: report.tuples, bytes: report.bytes };
    port.queued = report.queued;
    port.tupleRate.add(monotonic, port.tuples);
    port.byteRate.add(monotonic, port.bytes);
  }
}
