import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { owned } from '../../../runtime/owned.js';
import { createFrames } from './frames.js';
import { createHeardLines } from './heard-lines.js';
import { endedWith, ProcessEnded } from './process-ended.js';
import type { Line, ScriptOrder } from './protocol.js';
import { type ScriptProcessOptions, spawnScriptProcess } from './script-process-spawn.js';
import { watchSilence } from './silence.js';

/** The process in which scripts run, seen from the host. It ends with the host, however that ends. */
export interface ScriptProcess {
  /** `texts` follow the order, as it says. */
  send(order: ScriptOrder, texts?: readonly string[]): void;
  /**
   * Rejects with `ProcessEnded`, also when nothing is heard for so many milliseconds: then it is killed. Where it hardly
   * ran in that time it gets up to five times as much: a busy machine is no condition's fault. `atQuarter`: a quarter of
   * that time nothing was heard.
   */
  next(timeoutMillis: number, hooks?: { readonly atQuarter?: () => void }): Promise<Line>;
  /** Resolves when it has ended. */
  readonly gone: Promise<void>;
  /** Nothing more will be heard of it. */
  readonly hasEnded: boolean;
  /** Idempotent; resolves when it is gone. */
  kill(): Promise<void>;
}

export function startScriptProcess(options: ScriptProcessOptions): ScriptProcess {
  const { child, sockets } = spawnScriptProcess(options);
  const { stdin, stderr } = child;
  const output = child.stdio[3];
  const lines = createHeardLines(() => child.kill('SIGKILL'));
  const frameOf = createFrames();

  let hasComplained = false;
  stderr?.on('data', () => {
    hasComplained = true;
  });
  if (output instanceof Socket)
    owned(createInterface({ input: output, crlfDelay: Infinity })).on('line', lines.hear);
  const gone = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      lines.end(endedWith(code, signal, hasComplained));
      resolve();
    });
    child.on('error', (error) => {
      lines.end(new ProcessEnded('other', error.message));
      if (child.pid === undefined) resolve();
    });
  });

  return {
    gone,
    get hasEnded() {
      return lines.hasEnded;
    },
    send(order, texts = []) {
      stdin?.write(frameOf([JSON.stringify(order), ...texts], stdin.writableLength === 0));
    },
    async next(timeoutMillis, { atQuarter } = {}) {
      const silence = watchSilence(child.pid, timeoutMillis, {
        atQuarter,
        atEnd: () => lines.end(new ProcessEnded('silent', `It said nothing for ${timeoutMillis} ms`)),
      });
      try {
        return await lines.next();
      } finally {
        silence.isOver();
      }
    },
    kill() {
      lines.end(new ProcessEnded('other', 'It was ended'));
      // Who ends it waits for it.
      for (const handle of [child, ...sockets]) handle.ref();
      return gone;
    },
  };
}
