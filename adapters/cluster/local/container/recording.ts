import { performance } from 'node:perf_hooks';
import { boundaryLine, PartCounter, skippedLine } from '../../recordings/format.js';
import type { RecordedPort } from '../../recordings/meta.js';
import type { RecordingLimits } from '../protocol.js';
import type { CpuShare } from './cpu-share.js';
import type { WindowWatcher } from './node.js';
import type { RecordingFiles } from './recording-files.js';
import type { Tap } from './tap.js';
import { jsonOf } from './tuple-text.js';

/** Text is handed to the files in pieces of about this length. */
const pieceLength = 64 * 1024;

export interface RecordingOptions {
  readonly ports: readonly RecordedPort[];
  /** Makes the tap of a port. */
  readonly tap: (port: RecordedPort, see: (tuple: unknown) => void) => Tap;
  readonly windowId: (window: number) => string;
  readonly files: RecordingFiles;
  readonly share: CpuShare;
  /** Windows to record; absent: until it is stopped. */
  readonly windows?: number;
  readonly limits: RecordingLimits;
  /** Each tuple that is kept: `count` includes it. */
  readonly onTuple: (portId: string, windowId: string, count: number, json: string) => void;
  /** It is over: no tap is attached any more, and nothing more is written. */
  readonly onOver: () => void;
}

interface Port {
  readonly id: string;
  readonly tap: Tap;
  /** Tuples that had passed when the window began. */
  before: number;
  /** Those of this window that were kept. */
  kept: number;
}

/**
 * Writes down the tuples of an operator's ports, whole windows from the next one on. What a window has beyond the
 * share of the thread, the bytes that may wait for the disk or the size of the recording is counted, not kept: until
 * the window ends nothing is attached to the ports then, so that the stream runs as if it were not recorded.
 */
export class Recording implements WindowWatcher {
  readonly #options: RecordingOptions;
  readonly #ports: readonly Port[];
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
  #isInWindow = false;
  #isAttached = false;
  #isStopping = false;
  #isOver = false;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#ports = options.ports.map((recorded) => {
      const port: Port = {
        id: recorded.id,
        tap: options.tap(recorded, (tuple) => this.#see(port, tuple)),
        before: 0,
        kept: 0,
      };
      return port;
    });
  }

  begin(window: number): void {
    if (this.#isOver) return;
    const now = Date.now();
    this.#isInWindow = true;
    this.#windowId = this.#options.windowId(window);
    if (this.#partLength === 0) this.#partFirst = now;
    this.#part.window(this.#windowId);
    this.#write(boundaryLine('B', now, this.#windowId));
    for (const port of this.#ports) {
      port.before = port.tap.passed();
      port.kept = 0;
    }
    if (this.#options.share.refill() && this.#hasRoom()) this.#attach();
  }

  end(): void {
    if (!this.#isInWindow) return;
    this.#closeWindow();
    this.#windows++;
    const { windows = Infinity, limits } = this.#options;
    const isFull = this.#length >= limits.bytes || performance.now() - this.#startedAt >= limits.millis;
    if (this.#isStopping || isFull || this.#windows >= windows) this.#over();
    else if (this.#partLength >= limits.partBytes) this.#closePart();
  }

  finish(): void {
    this.cut();
  }

  /** Ends with the window that is open. */
  stop(): void {
    this.#isStopping = true;
    if (!this.#isInWindow) this.#over();
  }

  /** Ends now, in the midst of a window if need be. */
  cut(): void {
    if (this.#isOver) return;
    if (this.#isInWindow) this.#closeWindow();
    this.#over();
  }

  #see(port: Port, tuple: unknown): void {
    const began = performance.now();
    const json = jsonOf(tuple);
    if (json.length <= this.#options.limits.tupleBytes) {
      const millis = Math.floor(performance.timeOrigin + began);
      this.#write(`T:${millis}:${port.id}:${Buffer.byteLength(json)}:${json}\n`);
      port.kept++;
      this.#total++;
      this.#options.onTuple(port.id, this.#windowId, this.#total, json);
    }
    const isAffordable = this.#options.share.spend(performance.now() - began, json.length);
    if (!isAffordable || !this.#hasRoom()) this.#detach();
  }

  #hasRoom(): boolean {
    const { files, limits } = this.#options;
    return this.#length < limits.bytes && files.pendingBytes < limits.pendingBytes;
  }

  #closeWindow(): void {
    this.#detach();
    this.#isInWindow = false;
    const now = Date.now();
    for (const port of this.#ports) {
      const skipped = port.tap.passed() - port.before - port.kept;
      this.#part.kept(port.id, port.kept);
      if (skipped <= 0) continue;
      this.#part.skipped += skipped;
      this.#write(skippedLine(now, port.id, skipped));
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

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#detach();
    this.#closePart();
    this.#options.onOver();
  }

  #write(text: string): void {
    this.#text += text;
    this.#length += text.length;
    this.#partLength += text.length;
    if (this.#text.length >= pieceLength) this.#flush();
  }

  #flush(): void {
    if (this.#text === '') return;
    const more = this.#options.files.write(this.#text) - this.#text.length;
    this.#length += more;
    this.#partLength += more;
    this.#text = '';
  }

  #attach(): void {
    this.#isAttached = true;
    for (const { tap } of this.#ports) tap.attach();
  }

  #detach(): void {
    if (!this.#isAttached) return;
    this.#isAttached = false;
    for (const { tap } of this.#ports) tap.detach();
  }
}
