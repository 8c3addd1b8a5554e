import type { Duplex } from 'node:stream';
import { ThreadDump, TimedOut, Unreachable } from 'headgate/driver-kit';
import { stackTimeoutMillis } from '../protocol/stack-timeout.js';

/** Characters of one answer; operators share the process and may say anything. */
const maxAnswer = 1024 * 1024;

interface StackTraces {
  /** Rejects with `TimedOut`, and with `Unreachable` when the container ends. Whoever asks meanwhile gets the same trace. */
  take(): Promise<ThreadDump>;
  /** The container is gone. */
  end(): void;
}

/**
 * Asks the watchdog thread of a container for the stacks of its threads, over a channel of its own: the main thread may
 * be busy for good. A line asks, a line of JSON answers.
 */
export function createStackTraces(containerId: string, channel: Duplex): StackTraces {
  const gone = () => new Unreachable(`The container ${containerId}`);
  const late = () => new TimedOut(`The main thread of the container ${containerId}`);
  let settle: ((answer: string | Error) => void) | undefined;
  let current: Promise<ThreadDump> | undefined;
  let text = '';
  let isOver = false;

  channel.setEncoding('utf8');
  channel.on('error', () => {});
  channel.on('data', (chunk: string) => {
    text += chunk;
    const end = text.indexOf('\n');
    if (end >= 0) settle?.(text.slice(0, end));
    if (end >= 0 || text.length > maxAnswer) text = '';
  });

  async function ask(): Promise<ThreadDump> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const answer = await new Promise<string | Error>((resolve) => {
        settle = resolve;
        timer = setTimeout(() => resolve(late()), stackTimeoutMillis + 1000);
        channel.write('trace\n');
      });
      if (answer instanceof Error) throw answer;
      const dump = ThreadDump.safeParse(parsed(answer));
      // The watchdog says `null` when the main thread did not come.
      if (!dump.success) throw late();
      return dump.data;
    } finally {
      clearTimeout(timer);
      settle = undefined;
      current = undefined;
    }
  }

  return {
    async take() {
      if (isOver) throw gone();
      current ??= ask();
      return current;
    },
    end() {
      isOver = true;
      settle?.(gone());
      channel.destroy();
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
