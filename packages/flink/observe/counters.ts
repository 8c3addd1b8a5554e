/** What a subtask measures beside records: milliseconds of each second, bytes a second. */
const measured = [
  'busyTimeMsPerSecond',
  'backPressuredTimeMsPerSecond',
  'idleTimeMsPerSecond',
  'numBytesInPerSecond',
  'numBytesOutPerSecond',
] as const;
const rates = ['numRecordsInPerSecond', 'numRecordsOutPerSecond'] as const;
const totals = ['numRecordsIn', 'numRecordsOut'] as const;
const watermark = 'currentInputWatermark';

/** Metrics that are asked for, of each subtask. */
const asked = [...rates, ...totals, ...measured, watermark] as const;

/** Subtasks in one question: Flink reads no request line of more than 4,096 bytes. */
const subtasksAtOnce = 12;

/** The questions for all subtasks of a vertex, as lists of names. */
export function metricQuestions(parallelism: number): string[] {
  const questions: string[] = [];
  for (let first = 0; first < parallelism; first += subtasksAtOnce) {
    const names: string[] = [];
    for (let subtask = first; subtask < Math.min(parallelism, first + subtasksAtOnce); subtask++)
      names.push(...asked.map((name) => `${subtask}.${name}`));
    questions.push(names.join());
  }
  return questions;
}

/** What is known of one subtask. */
interface Measures {
  readonly recordsIn: number | undefined;
  readonly recordsOut: number | undefined;
  readonly recordsInPerSecond: number | undefined;
  readonly recordsOutPerSecond: number | undefined;
  /** By the names of Flink, and `watermarkLagMs`: milliseconds that its input is behind the clock. */
  readonly counters: Readonly<Record<string, number>>;
}

export function measuresOf(subtask: number, metrics: ReadonlyMap<string, number>, now: number): Measures {
  const of = (name: string) => metrics.get(`${subtask}.${name}`);
  const counters: Record<string, number> = {};
  for (const name of measured) {
    const value = of(name);
    if (value !== undefined) counters[name] = value;
  }
  const lag = lagOf(of(watermark), now);
  if (lag !== undefined) counters['watermarkLagMs'] = lag;
  return {
    recordsIn: of('numRecordsIn'),
    recordsOut: of('numRecordsOut'),
    recordsInPerSecond: of('numRecordsInPerSecond'),
    recordsOutPerSecond: of('numRecordsOutPerSecond'),
    counters,
  };
}

/** The least and the greatest watermark stand for none yet, and for the end of a bounded input. */
function lagOf(value: number | undefined, now: number): number | undefined {
  if (value === undefined || value <= 0 || value >= Number.MAX_SAFE_INTEGER) return undefined;
  return Math.max(0, Math.round(now - value));
}

interface Aggregate {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
}

/** Over those that have it: counter to its aggregate. What is no number has none. */
export function aggregated(all: readonly Readonly<Record<string, unknown>>[]): Record<string, Aggregate> {
  const values = new Map<string, number[]>();
  for (const counters of all)
    for (const [name, value] of Object.entries(counters)) {
      if (typeof value !== 'number') continue;
      const known = values.get(name);
      if (known) known.push(value);
      else values.set(name, [value]);
    }
  return Object.fromEntries([...values].map(([name, numbers]) => [name, aggregateOf(numbers)]));
}

function aggregateOf(numbers: readonly number[]): Aggregate {
  const sum = numbers.reduce((total, one) => total + one, 0);
  return {
    avg: sum / numbers.length,
    min: numbers.reduce((least, one) => Math.min(least, one), Infinity),
    max: numbers.reduce((most, one) => Math.max(most, one), -Infinity),
    sum,
  };
}

/** The sum of all, `undefined` as soon as one of them is not known. */
export function sumIfKnown(values: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
