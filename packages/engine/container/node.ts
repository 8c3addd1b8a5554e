import type { Operator } from '@headgate/operators';
import { monotonicMillis } from '../model/windows.js';
import type { Account, Meter } from './meter.js';
import { OutputPort } from './stream.js';
import type { TappedPort } from './tap.js';
import { Upcoming } from './upcoming.js';

type Properties = Operator['properties'];

interface NodeDeps {
  readonly id: string;
  readonly operator: Operator;
  readonly meter: Meter<OperatorNode>;
  /** The last window that its state contains; -1: none. */
  readonly window: number;
  readonly outputs: readonly string[];
  readonly windowId: (window: number) => string;
  /** Whether a checkpoint is due at the end of this window. */
  readonly checkpointDue: (window: number) => boolean;
  /** Takes the state that `checkpoint` gave. */
  readonly save: (node: OperatorNode, window: number, finished: boolean) => void;
}

/** What one source of one input port has come to. */
export interface InputChannel extends TappedPort {
  readonly port: string;
  /** As the physical plan calls the port. */
  readonly label: string;
  readonly received: number;
  readonly bytes: number;
  readonly waiting: number;
  /** The last window that ended. */
  readonly ended: number;
  /** Nothing comes any more. */
  readonly closed: boolean;
  /** Handles what waited, as far as the operator's window allows; tells whether anything was handled. */
  drain(): boolean;
}

/** Told of the windows of an operator, outside of all that happens in them. */
export interface WindowWatcher {
  begin(window: number): void;
  end(): void;
  /** No window will come any more. */
  finish(): void;
}

/** One partition of an operator: aligns the windows of its inputs, and passes them on. */
export class OperatorNode {
  readonly id: string;
  readonly operator: Operator;
  readonly meter: Meter<OperatorNode>;
  readonly account: Account = { exact: 0, sampled: 0, settled: 0 };
  readonly channels: InputChannel[] = [];
  readonly outputs: ReadonlyMap<string, OutputPort>;
  /** The open window, or the last that ended. */
  window: number;
  open = false;
  finished = false;
  /** Ends since the last heartbeat. */
  ends: [window: number, at: number][] = [];
  /** As of the last end of a window. */
  counters: Readonly<Record<string, number>> = {};
  /** Replaced as a whole, so that watchers may come and go while they are told. */
  watchers: readonly WindowWatcher[] = [];
  readonly #deps: NodeDeps;
  readonly #ports: readonly OutputPort[];
  readonly #properties = new Upcoming<Properties>();
  #draining = false;

  constructor(deps: NodeDeps) {
    this.#deps = deps;
    this.id = deps.id;
    this.operator = deps.operator;
    this.meter = deps.meter;
    this.window = deps.window;
    this.#ports = deps.outputs.map((name) => new OutputPort(name));
    this.outputs = new Map(this.#ports.map((port) => [port.name, port]));
    this.operator.emit = this.#emitter();
  }

  /** What it was told last; the operator may see it from its next window on only. */
  get properties(): Properties {
    return this.#properties.newest ?? this.operator.properties;
  }

  /** Other properties from a window on, never inside of one. */
  changeFrom(window: number, properties: Properties): void {
    // Nothing of it runs any more, but it can be asked.
    if (this.finished) this.operator.properties = properties;
    else this.#properties.add(window, properties);
  }

  /** Whether a source may enter this window now. */
  accepts(window: number): boolean {
    return this.open ? window === this.window : true;
  }

  channelBegan(window: number): void {
    if (!this.open) this.begin(window);
  }

  channelEnded(): void {
    if (this.open) {
      if (this.channels.every((channel) => channel.closed || channel.ended >= this.window)) this.end();
    } else if (this.channels.every((channel) => channel.closed)) this.finish();
  }

  begin(window: number): void {
    const properties = this.#properties.take(window);
    if (properties) this.#change(properties);
    this.window = window;
    this.open = true;
    for (const watcher of this.watchers) watcher.begin(window);
    for (const port of this.#ports) port.begin(window);
    this.meter.exactly(this, () => this.operator.beginWindow(this.#deps.windowId(window)));
  }

  end(): void {
    this.meter.exactly(this, () => this.operator.endWindow());
    this.open = false;
    for (const watcher of this.watchers) watcher.end();
    this.ends.push([this.window, monotonicMillis()]);
    if (this.ends.length > 64) this.ends.shift();
    this.counters = this.operator.counters();
    for (const port of this.#ports) port.end(this.window);
    if (this.#deps.checkpointDue(this.window)) this.#deps.save(this, this.window, false);
    if (this.channels.length === 0) return;
    if (this.channels.every((channel) => channel.closed)) this.finish();
    else this.#drain();
  }

  /** Nothing comes any more: keeps the last state, and tells the readers. */
  finish(): void {
    if (this.finished) return;
    this.finished = true;
    if (this.operator.endOfInput && this.channels.length > 0) this.#lastWindow();
    for (const watcher of this.watchers) watcher.finish();
    this.#deps.save(this, this.window, true);
    for (const port of this.#ports) port.eos();
  }

  #lastWindow(): void {
    this.begin(this.window + 1);
    this.meter.exactly(this, () => this.operator.endOfInput?.());
    this.end();
  }

  #change(properties: Properties): void {
    this.operator.properties = properties;
    this.meter.exactly(this, () => this.operator.propertiesChanged());
  }

  /** What waited in other channels for the next window. An end inside leads back here: once is enough. */
  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    for (let progressed = true; progressed; ) {
      progressed = false;
      for (const channel of this.channels) if (channel.drain()) progressed = true;
    }
    this.#draining = false;
  }

  #emitter(): Operator['emit'] {
    const unknown = (port: string) => new Error(`There is no output port ${JSON.stringify(port)}`);
    const outside = () => new Error('Tuples can be emitted inside a window only');
    const [only, second] = this.#ports;
    if (only && !second)
      return (port, tuple) => {
        if (!this.open) throw outside();
        if (port !== only.name) throw unknown(port);
        only.send(tuple);
      };
    return (port, tuple) => {
      if (!this.open) throw outside();
      const output = this.outputs.get(port);
      if (!output) throw unknown(port);
      output.send(tuple);
    };
  }
}

/** The port of this name as the physical plan has it; `undefined`: there is none. */
export const portOf = (
  node: OperatorNode,
  { name, type }: { readonly name: string; readonly type: 'input' | 'output' },
): TappedPort | undefined =>
  type === 'output' ? node.outputs.get(name) : node.channels.find(({ label }) => label === name);
