import * as z from 'zod';
import { Operator, type Port, type Reach, type Tuple } from './operator.js';
import { jsonText } from './record.js';
import { RollingFile, RollingPosition } from './rolling-file.js';
import { windowTime } from './window-time.js';

const FileOutputProperties = z.object({
  directory: z
    .string()
    .min(1)
    .max(1000)
    .describe(
      "Where the files are, made when missing; relative to the engine's folder for files, and nowhere else unless the host allows it",
    ),
  name: z
    .string()
    .regex(/^[\w-][\w.-]{0,99}$/, 'letters, digits, ".", "_" and "-"')
    .default('output.log')
    .describe('Name of the files; a number is put before its extension: output.000001.log'),
  format: z
    .enum(['text', 'json'])
    .default('text')
    .describe(
      'text: strings as they are, anything else as JSON; json: everything as JSON. One line per tuple',
    ),
  rollBytes: z
    .int()
    .min(0)
    .default(64 * 1024 * 1024)
    .describe('Begins a new file before this one would grow beyond so many bytes; 0: never'),
  rollMillis: z
    .int()
    .min(0)
    .default(0)
    .describe('Begins a new file when this one is so old at the end of a window, milliseconds; 0: never'),
  maxFiles: z
    .int()
    .min(1)
    .max(100_000)
    .default(10)
    .describe('The oldest files beyond this number are deleted'),
});

const State = z.object({
  directory: z.string(),
  name: z.string(),
  position: RollingPosition,
  lines: z.number(),
});

/** What is held back of a window before it is written. */
const maxHeldCharacters = 1024 * 1024;

export class FileOutput extends Operator<typeof FileOutputProperties> {
  static override readonly className = 'headgate.io.FileOutput';
  static override readonly title = 'Files';
  static override readonly description =
    'Writes tuples to numbered files. After a recovery the files are cut back to the checkpoint, so that windows that are run again are not written twice.';
  static override readonly tags = ['output', 'file'];
  static override readonly properties = FileOutputProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', description: 'One line per tuple' },
  };
  static override readonly reaches: Readonly<Record<string, Reach>> = { directory: 'write' };

  #file: RollingFile | undefined;
  #place = { directory: '', name: '' };
  #held: string[] = [];
  #heldCharacters = 0;
  #time = 0;
  #lines = 0;

  override setup(): void {
    const { index, count } = this.context.partition;
    const { directory, name } = this.properties;
    this.#place = { directory, name };
    this.#file = new RollingFile({
      name,
      directory: this.context.access.toWrite(directory),
      part: count > 1 ? `p${index}` : undefined,
    });
  }

  override propertiesChanged(): void {
    const { directory, name } = this.properties;
    if (directory === this.#place.directory && name === this.#place.name) return;
    this.#file?.sync();
    this.#file?.close();
    this.setup();
  }

  override beginWindow(windowId: string): void {
    this.#time = windowTime(windowId, this.context.windowMillis);
  }

  override process(_port: string, tuple: Tuple): void {
    const isText = typeof tuple === 'string' && this.properties.format === 'text';
    const line = `${isText ? tuple : jsonText(tuple)}\n`;
    this.#lines += 1;
    this.#held.push(line);
    this.#heldCharacters += line.length;
    if (this.#heldCharacters >= maxHeldCharacters) this.#flush();
  }

  override endWindow(): void {
    this.#flush();
    const { since } = this.#open.position;
    const { rollMillis } = this.properties;
    if (rollMillis > 0 && since !== undefined && this.#time - since >= rollMillis)
      this.#open.roll(this.properties.maxFiles);
  }

  override checkpoint(): unknown {
    this.#open.sync();
    const { directory, name } = this.properties;
    return { directory, name, position: this.#open.position, lines: this.#lines };
  }

  override restore(state: unknown): void {
    const { directory, name, position, lines } = State.parse(state);
    this.#lines = lines;
    // A checkpoint from before other files were chosen must not cut these.
    if (directory !== this.properties.directory || name !== this.properties.name) return;
    const missing = this.#open.goBackTo(position);
    if (missing > 0) {
      this.context.log.warn(`${missing} bytes written before the checkpoint are gone: somebody cut the file`);
    }
  }

  override counters(): Readonly<Record<string, number>> {
    return { lines: this.#lines };
  }

  override teardown(): void {
    this.#file?.close();
  }

  get #open(): RollingFile {
    if (!this.#file) throw new Error('setup was not called');
    return this.#file;
  }

  /** Writes as many lines at a time as still fit into the file. A line longer than a whole file gets its own. */
  #flush(): void {
    const { rollBytes } = this.properties;
    let pending: Buffer[] = [];
    let length = 0;
    const write = () => {
      if (length > 0) this.#open.write(Buffer.concat(pending), this.#time);
      pending = [];
      length = 0;
    };
    for (const line of this.#held) {
      const bytes = Buffer.from(line);
      const used = this.#open.position.offset + length;
      if (rollBytes > 0 && used > 0 && used + bytes.length > rollBytes) {
        write();
        this.#open.roll(this.properties.maxFiles);
      }
      pending.push(bytes);
      length += bytes.length;
    }
    write();
    this.#held = [];
    this.#heldCharacters = 0;
  }
}
