import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { dirname, join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { owned, ownedProcess } from '../../../runtime/owned.js';
import { createFrames } from './frames.js';
import { Line, type ScriptOrder } from './protocol.js';
import { ranMillis } from './ran-millis.js';

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

export interface ScriptProcessOptions {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Empty where the runtime has no permissions. */
  readonly permissionFlags: readonly string[];
  readonly heapMB: number;
}

/** Why the process is gone. */
export class ProcessEnded extends Error {
  readonly why: 'silent' | 'out of memory' | 'outside' | 'other';

  constructor(why: ProcessEnded['why'], message: string) {
    super(message);
    this.name = 'ProcessEnded';
    this.why = why;
  }
}

const entry = fileURLToPath(new URL('./script-process-main.js', import.meta.url));
/** What the process loads: its own folder, and the packages. Found when it is needed: many hosts have no alerts. */
const readableFolders = (): string[] => [dirname(entry), ...new Set(['ses', 'acorn'].map(packagesAround))];

function packagesAround(name: string): string {
  const path = fileURLToPath(import.meta.resolve(name));
  const [outside, ...inside] = path.split(`${sep}node_modules${sep}`);
  return inside.length === 0 || outside === undefined ? dirname(path) : join(outside, 'node_modules');
}

/** The host waits for a process that does not get to run for so many quarters of the timeout. */
const maxQuarters = 20;
/** Lines that are waiting to be read; a process that says more is none of ours. */
const maxWaiting = 10_000;
const maxLineLength = 16 * 1024 ** 2;

export function startScriptProcess(options: ScriptProcessOptions): ScriptProcess {
  const { execPath, env, permissionFlags, heapMB } = options;
  const reading =
    permissionFlags.length > 0 ? readableFolders().map((path) => `--allow-fs-read=${join(path, '*')}`) : [];
  const child = ownedProcess(
    spawn(
      execPath,
      [
        `--max-old-space-size=${heapMB}`,
        '--max-semi-space-size=8',
        // What it says on its standard error is why it ends itself, and nothing else.
        '--no-warnings',
        ...permissionFlags,
        ...reading,
        entry,
      ],
      { env: { ...env }, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] },
    ),
  );
  // A host that waits for nothing else, answers included, may end.
  child.unref();
  const { stdin, stderr } = child;
  const output = child.stdio[3];
  const sockets = [stdin, stderr, output].filter((stream) => stream instanceof Socket);
  for (const socket of sockets) {
    socket.unref();
    // A process that is gone tells by its end.
    socket.on('error', () => {});
  }

  let hasComplained = false;
  stderr?.on('data', () => {
    hasComplained = true;
  });
  const frameOf = createFrames();
  const waiting: Line[] = [];
  let ended: ProcessEnded | undefined;
  let wake = () => {};

  function end(reason: ProcessEnded): void {
    ended ??= reason;
    child.kill('SIGKILL');
    wake();
  }

  function hear(text: string): void {
    const line = text.length > maxLineLength ? undefined : Line.safeParse(parsed(text));
    if (line?.success && waiting.length < maxWaiting) waiting.push(line.data);
    else end(new ProcessEnded('other', 'It said what it can not have said'));
    wake();
  }

  if (output instanceof Socket)
    owned(createInterface({ input: output, crlfDelay: Infinity })).on('line', hear);
  const gone = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      end(endedBy(code, signal, hasComplained));
      resolve();
    });
    child.on('error', (error) => {
      end(new ProcessEnded('other', error.message));
      if (child.pid === undefined) resolve();
    });
  });

  return {
    gone,
    get hasEnded() {
      return ended !== undefined;
    },
    send(order, texts = []) {
      stdin?.write(frameOf([JSON.stringify(order), ...texts], stdin.writableLength === 0));
    },
    async next(timeoutMillis, { atQuarter } = {}) {
      const silence = watchSilence(child.pid, timeoutMillis, {
        atQuarter,
        atEnd: () => end(new ProcessEnded('silent', `It said nothing for ${timeoutMillis} ms`)),
      });
      try {
        for (;;) {
          const line = waiting.shift();
          if (line) return line;
          if (ended) throw ended;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        silence.isOver();
      }
    },
    kill() {
      end(new ProcessEnded('other', 'It was ended'));
      // Who ends it waits for it.
      for (const handle of [child, ...sockets]) handle.ref();
      return gone;
    },
  };
}

/** Measures how long a process says nothing, until it is over: a process that hardly runs in that time gets more of it. */
function watchSilence(
  pid: number | undefined,
  timeoutMillis: number,
  hooks: { readonly atQuarter: (() => void) | undefined; readonly atEnd: () => void },
): { isOver(): void } {
  let isOver = false;
  let quarters = 0;
  let ranBefore = Number.NaN;
  const listen = (): void => {
    // It may be under way already when the timer is cleared.
    if (isOver) return;
    quarters++;
    // It hardly ever comes so far as to ask.
    if (quarters === 1) {
      ranBefore = ranMillis(pid);
      hooks.atQuarter?.();
    }
    const isStarved = quarters < maxQuarters && ranMillis(pid) - ranBefore < timeoutMillis / 10;
    if (quarters < 4 || isStarved) timer = setTimeout(look, quarter);
    else hooks.atEnd();
  };
  // Where the host itself was busy for so long, what was said is read first.
  const look = () => void setImmediate(listen);
  const quarter = timeoutMillis / 4;
  let timer = setTimeout(look, quarter);
  return {
    isOver() {
      isOver = true;
      clearTimeout(timer);
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

/** The runtime's own end at its heap limit; it says so on its standard error. */
const outOfMemory = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/** What a script can bring the runtime to by a fault of the runtime's own. */
const crashes = ['SIGSEGV', 'SIGBUS', 'SIGFPE'];

/**
 * A runtime that ends itself at its heap limit says so, where scripts can say nothing; one that somebody ended, the system
 * for want of memory or a person, says nothing.
 */
function endedBy(code: number | null, signal: string | null, hasComplained: boolean): ProcessEnded {
  if (signal === null) return new ProcessEnded('other', `It ended with code ${code}`);
  const how = `It ended by ${signal}`;
  if (crashes.includes(signal)) return new ProcessEnded('other', how);
  const isMemory = hasComplained && outOfMemory.includes(signal);
  return new ProcessEnded(isMemory ? 'out of memory' : 'outside', how);
}
