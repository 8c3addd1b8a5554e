import { type AccessSettings, createAccess } from '../../packages/engine/access/access.js';
import {
  InputOperator,
  type Operator,
  type OperatorClass,
  type OperatorContext,
  type Tuple,
} from '../../packages/operators/operator.js';
import { untilTrue } from './waiting.js';

// Plays the engine's part for one operator, as packages/operators/operator.ts tells it.

export interface HarnessOptions {
  readonly name?: string;
  readonly partition?: { readonly index: number; readonly count: number };
  readonly windowMillis?: number;
  /** What may be reached. Default: everything. */
  readonly access?: Partial<AccessSettings>;
  /** A checkpoint to go on from; number of the first window. */
  readonly restore?: unknown;
  readonly firstWindow?: number;
  /** Called for each tuple too, inside the window. */
  readonly onEmit?: (port: string, tuple: Tuple) => void;
}

export interface Emission {
  readonly port: string;
  readonly tuple: Tuple;
}

/** Epoch seconds of the first window. */
export const startSeconds = 1_700_000_000;
export const windowIdOf = (counter: number): string =>
  String((BigInt(startSeconds) << 32n) | BigInt(counter));

export class Harness {
  readonly operator: Operator;
  readonly emitted: Emission[] = [];
  readonly published: { readonly topic: string; readonly data: unknown }[] = [];
  readonly logged: { readonly level: string; readonly message: string }[] = [];
  readonly #listeners = new Map<string, Set<(data: unknown) => void>>();
  /** What the operator told when it was deployed first. */
  initial: unknown;
  ended = false;
  #windows: number;
  #inWindow = false;
  readonly #class: OperatorClass;

  constructor(type: OperatorClass, properties: unknown, options: HarnessOptions) {
    this.#class = type;
    this.#windows = options.firstWindow ?? 0;
    this.operator = new type();
    this.operator.properties = type.properties.parse(properties);
    this.operator.context = this.#context(options);
    this.operator.emit = (port, tuple) => {
      if (!this.#inWindow) throw new Error(`${type.className} emitted outside of a window`);
      if (!Object.hasOwn(type.outputs, port)) throw new Error(`${type.className} has no output port ${port}`);
      // Between containers a tuple is copied.
      this.emitted.push({ port, tuple: structuredClone(tuple) });
      options.onEmit?.(port, tuple);
    };
  }

  async start(options: HarnessOptions): Promise<this> {
    await this.operator.setup();
    if (options.restore !== undefined) this.operator.restore(structuredClone(options.restore));
    else this.initial = this.checkpoint();
    return this;
  }

  begin(): void {
    this.#inWindow = true;
    this.operator.beginWindow(windowIdOf(this.#windows));
  }

  end(): void {
    this.operator.endWindow();
    this.#inWindow = false;
    this.#windows += 1;
  }

  /** One tuple on a port; inside a window. */
  put(port: string, tuple: Tuple): void {
    this.operator.process(port, structuredClone(tuple));
  }

  /** One window with these tuples; what was emitted in it on `output`. */
  window(tuples: readonly Tuple[] = [], port = 'input'): Tuple[] {
    const before = this.emitted.length;
    this.begin();
    if (!Object.hasOwn(this.#class.inputs, port)) throw new Error(`no input port ${port}`);
    for (const tuple of tuples) this.operator.process(port, structuredClone(tuple));
    this.end();
    return this.emitted.slice(before).flatMap((item) => (item.port === 'output' ? [item.tuple] : []));
  }

  /** Asks an input operator once; inside a window. */
  ask(limit: number): number {
    if (!(this.operator instanceof InputOperator)) throw new Error(`${this.#class.className} is no input`);
    const count = this.operator.emitTuples(limit);
    if (count === undefined) this.ended = true;
    return count ?? 0;
  }

  /** A window in which an input operator is asked once. */
  pull(limit = 100): Tuple[] {
    const before = this.emitted.length;
    this.begin();
    const count = this.ask(limit);
    if (count !== this.emitted.length - before || count > limit) {
      throw new Error(`emitTuples(${limit}) said ${count}, emitted ${this.emitted.length - before}`);
    }
    this.end();
    return this.emitted.slice(before).map(({ tuple }) => tuple);
  }

  /** Pulls until the condition holds; fails after ten seconds. */
  async pullUntil(condition: () => boolean, limit = 100): Promise<void> {
    await untilTrue(() => {
      if (!condition()) this.pull(limit);
      return condition();
    });
  }

  /** All tuples of a port so far. */
  tuples(port = 'output'): Tuple[] {
    return this.emitted.flatMap((item) => (item.port === port ? [item.tuple] : []));
  }

  checkpoint(): unknown {
    return structuredClone(this.operator.checkpoint());
  }

  /** Topics that the operator listens to. */
  get topics(): string[] {
    return [...this.#listeners.keys()];
  }

  /** Somebody publishes on a topic of the hub. */
  hear(topic: string, data: unknown): void {
    for (const receive of this.#listeners.get(topic) ?? []) receive(structuredClone(data));
  }

  change(properties: unknown): void {
    this.operator.properties = this.#class.properties.parse(properties);
    this.operator.propertiesChanged();
  }

  async stop(): Promise<void> {
    await this.operator.teardown();
  }

  #context({ name = 'tested', partition, windowMillis = 500, access }: HarnessOptions): OperatorContext {
    const log = (level: string) => (message: string) => {
      this.logged.push({ level, message });
    };
    return {
      applicationId: 'application_1_0001',
      operatorId: '1',
      operatorName: name,
      partition: partition ?? { index: 0, count: 1 },
      attributes: {},
      windowMillis,
      access: createAccess({ folder: '/', read: [], write: [], addresses: 'any', ...access }),
      publish: (topic, data) => {
        this.published.push({ topic, data: JSON.parse(JSON.stringify(data)) });
      },
      subscribe: (topic, receive) => {
        const listener = (data: unknown) => receive(data);
        const set = this.#listeners.get(topic) ?? new Set();
        this.#listeners.set(topic, set.add(listener));
        return () => {
          set.delete(listener);
          if (set.size === 0) this.#listeners.delete(topic);
        };
      },
      log: {
        trace: log('trace'),
        debug: log('debug'),
        info: log('info'),
        warn: log('warn'),
        error: log('error'),
      },
    };
  }
}

/** Rejects with zod's error for properties that are refused. */
export async function startOperator(
  type: OperatorClass,
  properties: unknown,
  options: HarnessOptions = {},
): Promise<Harness> {
  return await new Harness(type, properties, options).start(options);
}
