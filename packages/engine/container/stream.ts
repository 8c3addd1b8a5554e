import type { Tap, TappedPort } from './tap.js';
import { Upcoming } from './upcoming.js';

/** Where an output port sends what it emits: a reader in this container, or a publisher for readers elsewhere. */
export interface Sink {
  begin(window: number): void;
  put(tuple: unknown): void;
  end(window: number): void;
  /** Nothing comes any more. */
  eos(): void;
}

/** Something that can ask those who feed it to wait. */
export interface Gate {
  isOpen(): boolean;
}

/** An output port with those who read it. */
export class OutputPort implements TappedPort {
  count = 0;
  readonly #sinks: Sink[] = [];
  readonly name: string;
  tap: Tap | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get passed(): number {
    return this.count;
  }

  get sinks(): readonly Sink[] {
    return this.#sinks;
  }

  add(sink: Sink): void {
    this.#sinks.push(sink);
  }

  send(tuple: unknown): void {
    this.count++;
    if (this.tap !== undefined) this.tap.see(tuple);
    const sinks = this.#sinks;
    for (let i = 0; i < sinks.length; i++) sinks[i]?.put(tuple);
  }

  begin(window: number): void {
    for (const sink of this.#sinks) sink.begin(window);
  }

  end(window: number): void {
    for (const sink of this.#sinks) sink.end(window);
  }

  eos(): void {
    for (const sink of this.#sinks) sink.eos();
  }
}

type KeyOf = (tuple: unknown) => string;

/** Lets through only the tuples of one partition of the reader. */
export class PartitionFilter implements Sink {
  readonly sink: Sink;
  readonly #index: number;
  readonly #count: number;
  readonly #upcoming = new Upcoming<KeyOf>();
  #key: KeyOf;

  constructor(sink: Sink, part: { index: number; count: number; key: KeyOf }) {
    this.sink = sink;
    this.#index = part.index;
    this.#count = part.count;
    this.#key = part.key;
  }

  /** Another key from a window on. */
  keyFrom(window: number, key: KeyOf): void {
    this.#upcoming.add(window, key);
  }

  put(tuple: unknown): void {
    if (partitionOf(this.#key(tuple), this.#count) === this.#index) this.sink.put(tuple);
  }

  begin(window: number): void {
    this.#key = this.#upcoming.take(window) ?? this.#key;
    this.sink.begin(window);
  }

  end(window: number): void {
    this.sink.end(window);
  }

  eos(): void {
    this.sink.eos();
  }
}

/** FNV-1a: the same key always goes to the same partition, in every process. */
export function partitionOf(key: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) {
    hash ^= key.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  // The low bits of FNV alone repeat for keys that differ in their last character only.
  hash ^= hash >>> 15;
  return (hash >>> 0) % count;
}
