import { performance } from 'node:perf_hooks';
import { boundaryLine, PartCounter, skippedLine } from '@headgate/history/formats';
import type { RecordingLimits } from '../protocol/protocol.js';
import type { CpuShare } from './cpu-share.js';
import type { WindowWatcher } from './node.js';
import type { RecordingFiles } from './recording-files.js';
import { type Observer, Tap, type TappedPort } from './tap.js';
import { jsonOf } from './tuple-text.js';

/** Text is handed to the files in pieces of about this length. */
const pieceLength = 64 * 1024;
/** Looking at the clock takes as long as writing a small tuple: one of so many is timed, and stands for all. */
const timedEvery = 8;

export const tooLong = ({ millis }: Pick<RecordingLimits, 'millis'>): string =>
  `it has lasted ${millis} ms (limits.recordingMillis)`;

interface RecordingOptions {
  readonly ports: readonly { readonly id: string; readonly port: TappedPort }[];
  readonly windowId: (window: number) => string;
  readonly files: RecordingFiles;
  readonly share: CpuShare;
  /** Windows to record; absent: until it is stopped. */
  readonly windows?: number;
  readonly limits: RecordingLimits;
  /** Each tuple that is kept: `count` includes it. */
  readonly onTuple: (portId: string, windowId: string, count: number, json: string) => void;
  /** It is over: no tap is attached any more, and nothing more is written. `why` is the end of a sentence. */
  readonly onOver: (why: string) => void;
}

/**
 * Writes down the tuples of an operator's ports, whole windows from the next one on. What a window has beyond the
 * share of the thread, the bytes that may wait for the disk or the size of the recording is counted, not kept: until
 * the window ends nothing is attached to the ports then, so that the stream runs as if it were not recorded.
 */
export class Recording implements WindowWatcher, Observer {
  readonly #options: RecordingOptions;
  readonly #taps: readonly Tap[];
  readonly #startedAt = performance.now();
  #part = new PartCounter();
  #partNumber = 0;
  #partFirst = 0;
  #partLength = 0;
  #text = '';
  /** Bytes, as far as they are known. */
  #length = 0;
  #windowId = '';
  #windows = 0;
  #total = 0;
  #seen = 0;
  /** Epoch milliseconds, as of the last look. */
  #time = 0;
  #isInWindow = false;
  #isAttached = false;
  #isStopping = false;
  #isOver = false;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#taps = options.ports.map(({ id, port }) => new Tap(id, port, this));
  }

  begin(window: number): void {
    if (this.#isOver) return;
    const now = Date.now();
    this.#time = now;
    this.#isInWindow = true;
    this.#windowId = this.#options.windowId(window);
    if (this.#partLength === 0) this.#partFirst = now;
    this.#part.window(this.#windowId);
    this.#write(boundaryLine('B', now, this.#windowId));
    for (const tap of this.#taps) {
      tap.before = tap.passed;
      tap.kept = 0;
    }
    if (this.#options.share.refill() && this.#hasRoom()) this.#attach();
  }

  end(): void {
    if (!this.#isInWindow) return;
    this.#closeWindow();
    this.#windows++;
    const why = this.#whyNow();
    if (why !== undefined) this.#over(why);
    else if (this.#partLength >= this.#options.limits.partBytes) this.#closePart();
  }

  finish(): void {
    this.cut('the operator has ended');
  }

  /** Ends with the window that is open. */
  stop(): void {
    this.#isStopping = true;
    if (!this.#isInWindow) this.#over('it was stopped');
  }

  /** Ends now, in the midst of a window if need be. */
  cut(why: string): void {
    if (this.#isOver) return;
    if (this.#isInWindow) this.#closeWindow();
    this.#over(why);
  }

  see(tap: Tap, tuple: unknown): void {
    const isTimed = this.#seen++ % timedEvery === 0;
    const began = isTimed ? performance.now() : 0;
    const json = jsonOf(tuple);
    if (json.length <= this.#options.limits.tupleBytes) {
      this.#write(`T:${this.#time}:${tap.id}:${Buffer.byteLength(json)}:${json}\n`);
      tap.kept++;
      this.#total++;
      this.#options.onTuple(tap.id, this.#windowId, this.#total, json);
    }
    if (!isTimed) return;
    const now = performance.now();
    this.#time = Math.floor(performance.timeOrigin + now);
    const isAffordable = this.#options.share.spend(timedEvery, now - began, json.length);
    if (!isAffordable || !this.#hasRoom()) this.#detach();
  }

  /** Why it ends with the window that was closed; `undefined`: it goes on. */
  #whyNow(): string | undefined {
    const { windows = Infinity, limits } = this.#options;
    if (this.#isStopping) return 'it was stopped';
    if (this.#windows >= windows) return `it has its ${windows} windows`;
    if (this.#length >= limits.bytes) return `it has reached ${limits.bytes} bytes (limits.recordingBytes)`;
    if (performance.now() - this.#startedAt >= limits.millis) return tooLong(limits);
    return undefined;
  }

  #hasRoom(): boolean {
    const { files, limits } = this.#options;
    return this.#length < limits.bytes && files.pendingBytes < limits.pendingBytes;
  }

  #closeWindow(): void {
    this.#detach();
    this.#isInWindow = false;
    const now = Date.now();
    for (const tap of this.#taps) {
      const skipped = tap.passed - tap.before - tap.kept;
      this.#part.kept(tap.id, tap.kept);
      if (skipped <= 0) continue;
      this.#part.skipped += skipped;
      this.#write(skippedLine(now, tap.id, skipped));
    }
    this.#write(boundaryLine('E', now, this.#windowId));
    this.#flush();
  }

  #closePart(): void {
    if (this.#partLength === 0) return;
    this.#options.files.closePart({
      number: this.#partNumber++,
      first: this.#partFirst,
      last: Math.max(this.#partFirst, Date.now()),
      count: this.#part.total,
      extra: this.#part.text(),
    });
    this.#part = new PartCounter();
    this.#partLength = 0;
  }

  #over(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#detach();
    this.#closePart();
    this.#options.onOver(why);
  }

  #write(text: string): void {
    this.#text += text;
    this.#length += text.length;
    this.#partLength += text.length;
    if (this.#text.length >= pieceLength) this.#flush();
  }

  #flush(): void {
    if (this.#text === '') return;
    const began = performance.now();
    const more = this.#options.files.write(this.#text) - this.#text.length;
    this.#length += more;
    this.#partLength += more;
    this.#options.share.spend(1, performance.now() - began, this.#text.length);
    this.#text = '';
  }

  #attach(): void {
    this.#isAttached = true;
    for (const tap of this.#taps) tap.attach();
  }

  #detach(): void {
    if (!this.#isAttached) return;
    this.#isAttached = false;
    for (const tap of this.#taps) tap.detach();
  }
}
