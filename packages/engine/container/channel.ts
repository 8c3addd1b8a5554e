import type { InputChannel, OperatorNode } from './node.js';
import type { Gate, Sink } from './stream.js';
import type { Tap } from './tap.js';

/** A begin, end or end-of-stream that waits in line with the tuples. */
class Marker {
  readonly kind: 'begin' | 'end' | 'eos';
  readonly window: number;
  constructor(kind: 'begin' | 'end' | 'eos', window: number) {
    this.kind = kind;
    this.window = window;
  }
}

/**
 * One source of one input port. While its source is in the window that the operator is in, tuples go straight through;
 * what comes too early waits here, and beyond `capacity` the sources upstream are asked to wait.
 */
export class Channel implements InputChannel, Sink, Gate {
  readonly port: string;
  readonly label: string;
  received = 0;
  /** Bytes that came over a socket. */
  bytes = 0;
  /** Tuples that came over a socket, and have not been taken from there yet. */
  arrived = 0;
  ended: number;
  closed = false;
  tap: Tap | undefined;
  readonly #node: OperatorNode;
  readonly #capacity: number;
  #live = false;
  #inWindow = false;
  #queue: unknown[] = [];
  #head = 0;
  /** Of what is in the queue. */
  #markers = 0;

  constructor(node: OperatorNode, port: string, label: string, capacity: number) {
    this.#node = node;
    this.port = port;
    this.label = label;
    this.#capacity = capacity;
    this.ended = node.window;
  }

  get passed(): number {
    return this.received;
  }

  /** Tuples and markers in line. */
  get queued(): number {
    return this.#queue.length - this.#head;
  }

  /** Tuples in this container that the operator has not processed. */
  get waiting(): number {
    return this.arrived + this.queued - this.#markers;
  }

  isOpen(): boolean {
    return this.queued < this.#capacity;
  }

  put(tuple: unknown): void {
    if (this.#live) this.#process(tuple);
    else this.#queue.push(tuple);
  }

  begin(window: number): void {
    if (this.queued === 0 && this.#node.accepts(window)) this.#begin(window);
    else this.#enqueue(new Marker('begin', window));
  }

  end(window: number): void {
    if (this.#live) this.#end(window);
    else this.#enqueue(new Marker('end', window));
  }

  eos(): void {
    if (this.queued === 0) this.#close();
    else this.#enqueue(new Marker('eos', 0));
  }

  /** Handles what waited, as far as the operator's window allows; tells whether anything was handled. */
  drain(): boolean {
    const before = this.#head;
    while (this.#head < this.#queue.length) {
      const item = this.#queue[this.#head];
      if (item instanceof Marker) {
        if (item.kind === 'begin' && !this.#node.accepts(item.window)) break;
        this.#head++;
        this.#markers--;
        if (item.kind === 'begin') this.#begin(item.window);
        else if (item.kind === 'end') this.#end(item.window);
        else this.#close();
      } else {
        this.#queue[this.#head] = undefined;
        this.#head++;
        this.#process(item);
      }
    }
    const progressed = this.#head > before;
    if (this.#head === this.#queue.length) {
      if (this.#queue.length > 0) this.#queue = [];
      this.#head = 0;
      this.#live = this.#inWindow;
    } else if (this.#head > 4096) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return progressed;
  }

  #enqueue(marker: Marker): void {
    this.#queue.push(marker);
    this.#markers++;
  }

  #process(tuple: unknown): void {
    this.received++;
    if (this.tap !== undefined) this.tap.see(tuple);
    const node = this.#node;
    const meter = node.meter;
    const before = meter.current;
    if (meter.timed) {
      meter.switchTo(node);
      node.operator.process(this.port, tuple);
      meter.switchTo(before);
    } else {
      meter.current = node;
      node.operator.process(this.port, tuple);
      meter.current = before;
    }
  }

  #begin(window: number): void {
    this.#inWindow = true;
    this.#live = this.queued === 0;
    this.#node.channelBegan(window);
  }

  #end(window: number): void {
    this.#inWindow = false;
    this.#live = false;
    this.ended = window;
    this.#node.channelEnded();
  }

  #close(): void {
    this.closed = true;
    this.#live = false;
    this.#node.channelEnded();
  }
}
