import type { Channel } from './channel.js';
import type { OperatorNode } from './node.js';
import type { OutputPort } from './stream.js';

export type TappedPort = Channel | OutputPort;

/** Gets the tuples of its ports before anybody else does. */
export interface Observer {
  see(tap: Tap, tuple: unknown): void;
}

/**
 * One port of an operator, seen by a recording. A port asks for each tuple whether there is a tap: until the first
 * recording of the process the compiler knows that there is none. A tap that took the place of a reader instead would
 * spare the question, but the compiler would know two kinds of readers from then on, which costs a third of the
 * throughput of a fast stream for good.
 */
export class Tap {
  readonly id: string;
  /** Tuples that had passed when the window began. */
  before = 0;
  /** Those of this window that were kept. */
  kept = 0;
  readonly #port: TappedPort;
  readonly #observer: Observer;

  constructor(id: string, port: TappedPort, observer: Observer) {
    this.id = id;
    this.#port = port;
    this.#observer = observer;
  }

  /** Tuples that passed so far, seen or not. */
  get passed(): number {
    return 'received' in this.#port ? this.#port.received : this.#port.count;
  }

  see(tuple: unknown): void {
    this.#observer.see(this, tuple);
  }

  attach(): void {
    this.#port.tap = this;
  }

  detach(): void {
    this.#port.tap = undefined;
  }
}

/** The port of this name as the physical plan has it; `undefined`: there is none. */
export const portOf = (
  node: OperatorNode,
  { name, type }: { readonly name: string; readonly type: 'input' | 'output' },
): TappedPort | undefined =>
  type === 'output' ? node.outputs.get(name) : node.channels.find(({ label }) => label === name);
