import type { Socket } from 'node:net';
import { encodeBatch } from './batches.js';
import { encodeMarker, frameKind } from './frames.js';
import type { Gate, Sink } from './stream.js';

/** Tuples of one frame at most; it is sent earlier when the turn ends. */
const batchTuples = 512;

interface Reader {
  socket: Socket | undefined;
  /** Sequence number of the next frame for it. */
  cursor: number;
  waiting: boolean;
  /** Tuples that the system has not taken for it yet. */
  unsent: number;
}

interface Kept {
  readonly window: number;
  readonly frame: Buffer;
  readonly tuples: number;
}

interface PublisherOptions {
  readonly id: string;
  readonly subscribers: readonly string[];
  /** The last window of the checkpoint that this deployment goes on from. */
  readonly window: number;
  /** Unsent bytes for the slowest reader beyond which the sources are asked to wait. */
  readonly queueBytes: number;
  /** Bytes that are kept for readers that have to start again from their checkpoint. */
  readonly replayBytes: number;
  /** Told when the kept bytes pass half of the limit, and again as they grow: a checkpoint would free them. */
  readonly onPressure: () => void;
  /** `asked`: a reader wanted windows from `from` that are gone through `through`; otherwise they were just dropped. */
  readonly onLost: (lost: { from: number; through: number; asked: boolean }) => void;
  /** Room again for a reader: sources may go on. */
  readonly onRoom: () => void;
}

/**
 * Sends one output port to readers in other containers. What was sent stays here until the checkpoints of all operators
 * contain it, so that a reader that starts again gets it again. When more is kept than `replayBytes`, whole windows are
 * dropped, oldest first, and reported: a reader that needs them later starts from what is there.
 */
export class Publisher implements Sink, Gate {
  readonly id: string;
  bytes = 0;
  readonly #options: PublisherOptions;
  readonly #readers: ReadonlyMap<string, Reader>;
  #batch: unknown[] = [];
  #window: number;
  #log: Kept[] = [];
  /** Sequence number of the first frame in the log. */
  #base = 0;
  /** Sum of the bytes of all frames before the log's first, for `lag`. */
  #offsets: number[] = [];
  #end = 0;
  #dropped: number;
  #kept = 0;
  #pressAt: number;
  #overflowing = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.id = options.id;
    this.#window = options.window;
    this.#dropped = options.window;
    this.#pressAt = options.replayBytes / 2;
    this.#readers = new Map(
      options.subscribers.map((id) => [id, { socket: undefined, cursor: 0, waiting: false, unsent: 0 }]),
    );
  }

  /** Tuples that wait here, by reader. */
  get unsent(): readonly (readonly [reader: string, tuples: number])[] {
    return [...this.#readers].map(([id, { unsent }]) => [id, unsent]);
  }

  isOpen(): boolean {
    for (const reader of this.#readers.values())
      if (this.#lag(reader) >= this.#options.queueBytes) return false;
    return true;
  }

  put(tuple: unknown): void {
    this.#batch.push(tuple);
    if (this.#batch.length >= batchTuples) this.#encode();
  }

  begin(window: number): void {
    this.#window = window;
    this.#append(encodeMarker(frameKind.begin, window));
  }

  end(window: number): void {
    this.#encode();
    this.#append(encodeMarker(frameKind.end, window));
    this.#trim();
  }

  eos(): void {
    const frame = encodeMarker(frameKind.eos, this.#window);
    // Belongs after every window: whoever begins again needs it, whatever its checkpoint contains.
    this.#window = Infinity;
    this.#append(frame);
    this.flush();
  }

  /** Sends what gathered in this turn; tells whether anything went out. */
  flush(): boolean {
    this.#encode();
    let sent = false;
    for (const reader of this.#readers.values()) if (this.#pump(reader)) sent = true;
    return sent;
  }

  /** Every operator's checkpoint contains this window: nobody asks for it again. */
  committed(window: number): void {
    let count = 0;
    while ((this.#log[count]?.window ?? Infinity) <= window && this.#sent(count)) count++;
    this.#remove(count);
    this.#dropped = Math.max(this.#dropped, window);
    this.#pressAt = Math.max(this.#options.replayBytes / 2, this.#kept + this.#options.replayBytes / 8);
    this.#overflowing = false;
  }

  /** A reader begins, or begins again, after `window`. */
  attach(subscriber: string, socket: Socket, window: number): boolean {
    const reader = this.#readers.get(subscriber);
    if (!reader) return false;
    reader.socket?.destroy();
    reader.socket = socket;
    reader.waiting = false;
    if (window < this.#dropped) {
      this.#options.onLost({ from: window + 1, through: this.#dropped, asked: true });
      // Other inputs of the reader go through these windows, so it has to see them pass.
      for (let lost = window + 1; lost <= this.#dropped; lost++) {
        socket.write(encodeMarker(frameKind.begin, lost));
        socket.write(encodeMarker(frameKind.end, lost));
      }
    }
    const first = this.#log.findIndex((kept) => kept.window > window);
    const index = first < 0 ? this.#log.length : first;
    reader.cursor = this.#base + index;
    reader.unsent = 0;
    for (let i = index; i < this.#log.length; i++) reader.unsent += this.#log[i]?.tuples ?? 0;
    socket.on('drain', () => {
      reader.waiting = false;
      this.#pump(reader);
      this.#options.onRoom();
    });
    socket.on('close', () => {
      if (reader.socket === socket) reader.socket = undefined;
    });
    this.#pump(reader);
    return true;
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.socket?.destroy();
  }

  #encode(): void {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#append(encodeBatch(batch, this.#window), batch.length);
  }

  #append(frame: Buffer, tuples = 0): void {
    this.bytes += frame.length;
    this.#kept += frame.length;
    this.#offsets.push(this.#end);
    this.#end += frame.length;
    this.#log.push({ window: this.#window, frame, tuples });
    for (const reader of this.#readers.values()) reader.unsent += tuples;
    if (this.#kept > this.#pressAt) {
      this.#pressAt = this.#kept + this.#options.replayBytes / 8;
      this.#options.onPressure();
    }
  }

  #lag(reader: Reader): number {
    const offset = this.#offsets[reader.cursor - this.#base] ?? this.#end;
    return this.#end - offset;
  }

  /** Whether all readers were sent the frame at this place of the log. */
  #sent(index: number): boolean {
    for (const reader of this.#readers.values()) if (reader.cursor <= this.#base + index) return false;
    return true;
  }

  #trim(): void {
    if (this.#kept <= this.#options.replayBytes) return;
    let count = 0;
    let kept = this.#kept;
    let window = this.#dropped;
    while (kept > this.#options.replayBytes) {
      const oldest = this.#log[count]?.window ?? Infinity;
      if (oldest >= this.#window) break;
      let next = count;
      while (this.#log[next]?.window === oldest) next++;
      if (!this.#sent(next - 1)) break;
      for (; count < next; count++) kept -= this.#log[count]?.frame.length ?? 0;
      window = oldest;
    }
    if (count === 0) return;
    const from = this.#dropped + 1;
    this.#dropped = window;
    this.#remove(count);
    if (!this.#overflowing) this.#options.onLost({ from, through: window, asked: false });
    this.#overflowing = true;
  }

  #remove(count: number): void {
    if (count === 0) return;
    for (let i = 0; i < count; i++) this.#kept -= this.#log[i]?.frame.length ?? 0;
    this.#log = this.#log.slice(count);
    this.#offsets = this.#offsets.slice(count);
    this.#base += count;
  }

  #pump(reader: Reader): boolean {
    const socket = reader.socket;
    if (!socket || reader.waiting || socket.destroyed) return false;
    const before = reader.cursor;
    socket.cork();
    for (;;) {
      const kept = this.#log[reader.cursor - this.#base];
      if (!kept) break;
      reader.cursor++;
      const { frame, tuples } = kept;
      const taken = () => {
        if (reader.socket === socket) reader.unsent -= tuples;
      };
      if (!(tuples > 0 ? socket.write(frame, taken) : socket.write(frame))) {
        reader.waiting = true;
        break;
      }
    }
    socket.uncork();
    return reader.cursor > before;
  }
}
