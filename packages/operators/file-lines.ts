import * as z from 'zod';
import { FilePosition, identify, openReal } from './file-position.js';
import { FileTail } from './file-tail.js';
import { InputOperator, type Port, type Reach } from './operator.js';

const FileLinesProperties = z.object({
  path: z
    .string()
    .min(1)
    .max(1000)
    .describe(
      "The file to read; relative to the engine's folder for files, and no other unless the host allows it",
    ),
  follow: z
    .boolean()
    .default(true)
    .describe(
      'Whether to wait for more at the end of the file, and for the next file of that name after a rotation; otherwise the input ends there',
    ),
  start: z
    .enum(['beginning', 'end'])
    .default('beginning')
    .describe('Where the first start begins; a recovery goes on where the checkpoint was'),
  maxLineBytes: z
    .int()
    .min(16)
    .max(8 * 1024 * 1024)
    .default(64 * 1024)
    .describe('Longer lines are cut to this length'),
  encoding: z.enum(['utf8', 'latin1']).default('utf8').describe('Encoding of the text'),
  pollMillis: z
    .int()
    .min(10)
    .max(60_000)
    .default(200)
    .describe('How often the end of the file is looked at for more, milliseconds'),
});

const State = z.object({
  path: z.string(),
  position: FilePosition.optional(),
  lines: z.number(),
  cut: z.number(),
});

export class FileLines extends InputOperator<typeof FileLinesProperties> {
  static override readonly className = 'headgate.io.FileLines';
  static override readonly title = 'Lines of a file';
  static override readonly description =
    'Reads a text file line by line and follows it as `tail -F` does: rotated, truncated, not there yet. After a recovery it goes on after the last line of the checkpoint, also in a file that was renamed meanwhile.';
  static override readonly tags = ['input', 'file', 'log', 'tail'];
  static override readonly properties = FileLinesProperties;
  static override readonly outputs: Readonly<Record<string, Port>> = {
    output: { type: 'string', description: 'One tuple per line, without its end' },
  };
  static override readonly reaches: Readonly<Record<string, Reach>> = { path: 'read' };

  #tail: FileTail | undefined;
  #position: FilePosition | undefined;
  #path = '';
  #lines = 0;
  #cut = 0;
  #closing: Promise<void> = Promise.resolve();

  override async setup(): Promise<void> {
    if (this.context.partition.count > 1) {
      throw new Error(`${this.context.operatorName}: one file can't be read by several partitions`);
    }
    this.#path = this.properties.path;
    if (this.properties.start === 'end')
      this.#position = await endOf(this.context.access.toRead(this.properties.path));
  }

  /** Another path is read from its beginning, the same one after the last line that was emitted. */
  override propertiesChanged(): void {
    if (this.properties.path !== this.#path) this.#position = undefined;
    this.#path = this.properties.path;
    this.#closing = Promise.all([this.#closing, this.#tail?.close()]).then(() => {});
    this.#tail = undefined;
  }

  override emitTuples(limit: number): number | undefined {
    const { access, log } = this.context;
    this.#tail ??= new FileTail({
      ...this.properties,
      locate: () => access.toRead(this.#path),
      from: this.#position,
      log,
    });
    let emitted = 0;
    while (emitted < limit) {
      const line = this.#tail.take();
      if (!line) break;
      this.#position = line;
      this.#lines += 1;
      if (line.cut) this.#cut += 1;
      this.emit('output', line.text);
      emitted += 1;
    }
    return emitted === 0 && this.#tail.ended ? undefined : emitted;
  }

  override checkpoint(): unknown {
    const position = this.#position && { file: this.#position.file, offset: this.#position.offset };
    return { path: this.#path, position, lines: this.#lines, cut: this.#cut };
  }

  override restore(state: unknown): void {
    const { path, position, lines, cut } = State.parse(state);
    // A checkpoint from before another path was set says nothing about this file.
    if (path === this.#path) this.#position = position;
    this.#lines = lines;
    this.#cut = cut;
  }

  override counters(): Readonly<Record<string, number>> {
    return { lines: this.#lines, linesCut: this.#cut };
  }

  override async teardown(): Promise<void> {
    await Promise.all([this.#closing, this.#tail?.close()]);
  }
}

/** `undefined` when there is no file yet: whatever comes is new then. */
async function endOf(path: string): Promise<FilePosition | undefined> {
  const handle = await openReal(path).catch(() => undefined);
  if (!handle) return undefined;
  try {
    return { file: await identify(handle), offset: (await handle.stat()).size };
  } finally {
    await handle.close();
  }
}
