import { ProcessEnded } from './process-ended.js';
import { Line } from './protocol.js';

/** Lines that are waiting to be read; a process that says more is none of ours. */
const maxWaiting = 10_000;
const maxLineLength = 16 * 1024 ** 2;

/** What a process said that nobody has read yet, and in the end why nothing more will come. */
interface HeardLines {
  readonly hasEnded: boolean;
  /** What it can't have said ends them. */
  hear(text: string): void;
  /** Idempotent: the first reason is the one that holds. */
  end(reason: ProcessEnded): void;
  /** The next line. Rejects with the reason once all of them are read. */
  next(): Promise<Line>;
}

/** `onEnd`: told at every `end`, before who waits for a line is. */
export function createHeardLines(onEnd: () => void): HeardLines {
  const waiting: Line[] = [];
  let ended: ProcessEnded | undefined;
  let wake = () => {};

  function end(reason: ProcessEnded): void {
    ended ??= reason;
    onEnd();
    wake();
  }

  return {
    get hasEnded() {
      return ended !== undefined;
    },
    hear(text) {
      const line = text.length > maxLineLength ? undefined : Line.safeParse(parsed(text));
      if (line?.success && waiting.length < maxWaiting) waiting.push(line.data);
      else end(new ProcessEnded('other', 'It said what it can not have said'));
      wake();
    },
    end,
    async next() {
      for (;;) {
        const line = waiting.shift();
        if (line) return line;
        if (ended) throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
