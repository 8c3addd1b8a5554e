// Numbers for Prometheus, in its text format 0.0.4. A library of its own would bring OpenTelemetry's API and a registry of
// the whole process; fifty gateways in one process count apart.

interface Counter {
  add(): void;
}

interface Histogram {
  observe(seconds: number): void;
}

/** One name with all its labels. Values of labels come from small fixed sets: a series lives as long as the gateway. */
interface Family<Series> {
  of(...values: readonly string[]): Series;
}

/** Counting is an addition; everything else is done when somebody reads. A name that is there already is gone on with. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Family<Counter>;
  histogram(name: string, help: string, labels?: readonly string[]): Family<Histogram>;
  /** Read whenever somebody asks; takes the place of the reading of that name. */
  reading(type: 'gauge' | 'counter', name: string, help: string, read: () => number): void;
  /** The same of a number for each of some labels, and of numbers that are not always there. */
  readings(
    type: 'gauge' | 'counter',
    name: string,
    help: string,
    labels: readonly string[],
    read: () => readonly LabelledNumber[],
  ): void;
  /** Called whenever somebody asks, before anything is read. */
  beforeText(prepare: () => void): void;
  text(): string;
}

interface LabelledNumber {
  /** Of the labels, in their order. */
  readonly values: readonly string[];
  readonly number: number;
}

/** Upper bounds in seconds. */
const bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

interface Named {
  readonly type: string;
  readonly help: string;
  lines(): Iterable<string>;
}

/** The way to a series, by the values of its labels: a key made of all of them would cost more than the counting. */
interface Branch<S> {
  one?: S;
  readonly below: Map<string, Branch<S>>;
}

function grown<S>({ below }: Branch<S>, value: string): Branch<S> {
  const next: Branch<S> = { below: new Map() };
  below.set(value, next);
  return next;
}

export function createMetrics(): Metrics {
  const all = new Map<string, Named>();

  function family<S extends { lines(name: string, labels: string): Iterable<string> }>(
    name: string,
    { type, help, labels }: { type: string; help: string; labels: readonly string[] },
    create: () => S,
  ): Family<S> {
    const series: { readonly values: readonly string[]; readonly one: S }[] = [];
    const root: Branch<S> = { below: new Map() };
    all.set(name, {
      type,
      help,
      *lines() {
        for (const { values, one } of series) yield* one.lines(name, labelText(labels, values));
      },
    });
    return {
      of(...values) {
        let branch = root;
        for (const value of values) {
          branch = branch.below.get(value) ?? grown(branch, value);
        }
        if (branch.one) return branch.one;
        branch.one = create();
        series.push({ values, one: branch.one });
        return branch.one;
      },
    };
  }

  const preparations: (() => void)[] = [];
  const readings: Metrics['readings'] = (type, name, help, labels, read) => {
    all.set(name, {
      type,
      help,
      lines: () =>
        read().map(({ values, number }) => `${name}${braced(labelText(labels, values))} ${number}`),
    });
  };
  const counters = new Map<string, Family<Counter>>();
  const histograms = new Map<string, Family<Histogram>>();
  return {
    counter(name, help, labels = []) {
      const known = counters.get(name) ?? family(name, { type: 'counter', help, labels }, createCounter);
      counters.set(name, known);
      return known;
    },
    histogram(name, help, labels = []) {
      const known =
        histograms.get(name) ?? family(name, { type: 'histogram', help, labels }, createHistogram);
      histograms.set(name, known);
      return known;
    },
    reading: (type, name, help, read) =>
      readings(type, name, help, [], () => [{ values: [], number: read() }]),
    readings,
    beforeText(prepare) {
      preparations.push(prepare);
    },
    text() {
      for (const prepare of preparations) prepare();
      const lines: string[] = [];
      for (const [name, one] of all) {
        lines.push(`# HELP ${name} ${one.help}`, `# TYPE ${name} ${one.type}`, ...one.lines());
      }
      return `${lines.join('\n')}\n`;
    },
  };
}

function createCounter() {
  let value = 0;
  return {
    add() {
      value++;
    },
    lines: (name: string, labels: string) => [`${name}${braced(labels)} ${value}`],
  };
}

function createHistogram() {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(seconds: number) {
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += seconds;
    },
    *lines(name: string, labels: string) {
      let total = 0;
      for (const [at, count] of counts.entries()) {
        total += count;
        const bound = `le="${bounds[at] ?? '+Inf'}"`;
        yield `${name}_bucket${braced(labels === '' ? bound : `${labels},${bound}`)} ${total}`;
      }
      yield `${name}_sum${braced(labels)} ${sum}`;
      yield `${name}_count${braced(labels)} ${total}`;
    },
  };
}

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

const labelText = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, at) => `${name}="${escaped(values[at] ?? '')}"`).join(',');

const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
