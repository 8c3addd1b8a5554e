import type { ThreadDump } from 'headgate/driver-kit';
import type * as z from 'zod';
import type { Threads } from '../rest/process-shapes.js';

/** ` Id=34 TIMED_WAITING on ...` behind the name of a thread. */
const head = /"[^"]*" (?:daemon )?(?:prio=\d+ )?Id=(\d+) ([A-Z_]+)/;

export const threadDumpOf = ({ threadInfos }: z.output<typeof Threads>): ThreadDump => ({
  threads: threadInfos.map(({ threadName, stringifiedThreadInfo: text }, index) => {
    // A name may hold a quotation mark: what stands behind it is what counts.
    const rest = text.startsWith(`"${threadName}"`) ? `""${text.slice(threadName.length + 2)}` : text;
    const [, id, state = ''] = head.exec(rest) ?? [];
    return {
      name: threadName,
      // One without an id has its place, in numbers that no thread has.
      id: id ?? `-${index + 1}`,
      state,
      stackTraceElements: rest
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith('at '))
        .map((line) => line.slice('at '.length)),
    };
  }),
});
