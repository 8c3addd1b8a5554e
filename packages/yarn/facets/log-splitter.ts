/** A log in what `yarn logs` prints. */
export interface SplitLog {
  readonly name: string;
  readonly length: number;
}

export interface LogSplitter {
  /** Pieces of the output, as they come; returns pieces of logs, in their order. */
  split(chunk: Buffer): readonly { readonly log: SplitLog; readonly bytes: Buffer }[];
  /** All whose head was seen so far. */
  readonly logs: readonly SplitLog[];
  /** Whether it is inside of none. */
  readonly isBetween: boolean;
  /** The first other lines: what went wrong, perhaps. */
  readonly remarks: string;
}

const newline = 10;
const maxLine = 16 * 1024;
const maxRemarks = 4096;

/**
 * `LogType:stdout`, `LogLength:42`, other lines, `Log Contents:` (or `LogContents:`, of newer ones), 42 bytes, and again. By
 * their length, because a log may hold lines that look like all of this.
 */
export function createLogSplitter(): LogSplitter {
  const logs: SplitLog[] = [];
  let line: Buffer = Buffer.alloc(0);
  let remarks = '';
  let head: { name?: string; length?: number } = {};
  let current: { readonly log: SplitLog; left: number } | undefined;

  /** One line outside of a log. */
  function read(text: string): void {
    const [, key, value = ''] = /^(LogType|LogLength|Log ?Contents): ?(.*)$/.exec(text.trimEnd()) ?? [];
    if (key === 'LogType') head = { name: value };
    else if (key === 'LogLength' && /^\d{1,15}$/.test(value)) head.length = Number(value);
    else if (key !== undefined && head.name !== undefined && head.length !== undefined) {
      const log = { name: head.name, length: head.length };
      logs.push(log);
      if (log.length > 0) current = { log, left: log.length };
      head = {};
    } else if (remarks.length < maxRemarks) remarks += `${text}\n`;
  }

  return {
    logs,
    get isBetween() {
      return current === undefined;
    },
    get remarks() {
      return remarks;
    },
    split(chunk) {
      const found: { log: SplitLog; bytes: Buffer }[] = [];
      let rest = chunk;
      while (rest.length > 0) {
        if (current) {
          const bytes = rest.subarray(0, current.left);
          found.push({ log: current.log, bytes });
          rest = rest.subarray(bytes.length);
          current.left -= bytes.length;
          if (current.left === 0) current = undefined;
          continue;
        }
        const end = rest.indexOf(newline);
        const piece = end < 0 ? rest : rest.subarray(0, end);
        if (line.length < maxLine) line = Buffer.concat([line, piece.subarray(0, maxLine - line.length)]);
        if (end >= 0) {
          const text = line.toString('utf8');
          line = Buffer.alloc(0);
          read(text);
        }
        rest = end < 0 ? Buffer.alloc(0) : rest.subarray(end + 1);
      }
      return found;
    },
  };
}
