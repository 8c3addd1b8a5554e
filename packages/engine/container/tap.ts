/** A port of an operator. */
export interface TappedPort {
  /** Tuples that passed so far. */
  readonly passed: number;
  /** Sees each tuple before anybody else, who may change it. */
  tap: Tap | undefined;
}

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
    return this.#port.passed;
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
