import { NotReady } from '../../../model/errors.js';
import { pauseAfter } from '../../../runtime/back-off.js';
import { permissionFlags } from './permission-flags.js';
import { type ScriptProcess, startScriptProcess } from './script-process.js';
import type { ScriptProcessOptions } from './script-process-spawn.js';

/** The processes of one runner. The first thing that each of them says is that it is ready. */
export interface ScriptProcesses {
  /** So many there are, the spare one too. */
  readonly count: number;
  /** The spare one, else a fresh one. Rejects with `NotReady` after `close`. */
  take(): Promise<ScriptProcess>;
  /** Has a spare one, which is ready before it is needed. Returns at once. */
  keepSpare(): void;
  endSpare(): Promise<void>;
  /** Idempotent; resolves when all are gone. */
  close(): Promise<void>;
}

/** A spare process that ended by itself has its next one wait so long, and twice as long each time after (ms). */
const rest = { first: 1000, most: 5 * 60_000 };

export function createScriptProcesses(
  options: Omit<ScriptProcessOptions, 'permissionFlags' | 'program'>,
): ScriptProcesses {
  const all = new Set<ScriptProcess>();
  let spare: Promise<ScriptProcess> | undefined;
  let failures = 0;
  let restsUntil = 0;
  let isClosed = false;

  function requireOpen(): void {
    if (isClosed) throw new NotReady('The gateway is closed');
  }

  async function launch(): Promise<ScriptProcess> {
    const flags = await permissionFlags(options.execPath, options.env);
    const { default: program } = await import('./script-process-main.text.js');
    requireOpen();
    const process = startScriptProcess({ ...options, permissionFlags: flags, program });
    all.add(process);
    void process.gone.then(() => all.delete(process));
    return process;
  }

  async function watch(launched: Promise<ScriptProcess>): Promise<void> {
    const process = await launched.catch(() => undefined);
    await process?.gone;
    if (spare !== launched) return;
    spare = undefined;
    failures++;
    restsUntil = performance.now() + pauseAfter(failures, rest, 0);
  }

  return {
    get count() {
      return all.size;
    },
    async take() {
      requireOpen();
      if (!spare) return launch();
      const taken = spare;
      spare = undefined;
      failures = 0;
      return taken;
    },
    keepSpare() {
      if (isClosed || spare || performance.now() < restsUntil) return;
      spare = launch();
      void watch(spare);
    },
    async endSpare() {
      const ending = spare;
      spare = undefined;
      const process = await ending?.catch(() => undefined);
      await process?.kill();
    },
    async close() {
      isClosed = true;
      spare = undefined;
      await Promise.all(Array.from(all, (process) => process.kill()));
    },
  };
}
