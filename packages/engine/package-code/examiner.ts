import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { ownedProcess, queueingSemaphore, TooManyRequests } from 'headgate/driver-kit';
import { ExamineAnswer, type ExamineOrder } from './answers.js';

interface ExaminerSettings {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Path of what it runs; all that this imports lies beside it. */
  readonly program: string;
  /** What modules import lies here, besides their own folders. */
  readonly stubs: string;
  /** How long one module may take, milliseconds. */
  readonly millis: number;
}

export type Examined =
  | { readonly answer: ExamineAnswer }
  /** The process came to no answer. `isPassing`: that may be the machine's fault, so it is worth another try. */
  | { readonly problem: string; readonly isPassing: boolean };

/**
 * Lets a process of its own look at a module: with an empty environment unless the host said otherwise, limits of
 * heap, memory and time, and, where the runtime has permissions, none but to read the module's package. Rejects with
 * `TooManyRequests` only.
 */
export interface Examiner {
  examine(folder: string, order: ExamineOrder): Promise<Examined>;
}

const heapMB = 64;
/** Of the whole process: buffers lie outside of the heap, where the runtime has no limit. */
const residentMB = 256;
const lookMillis = 50;
const maxAnswerBytes = 128 * 1024;
/** At the same time, and those that wait for them. */
const maxProcesses = 2;
const maxWaiting = 500;

/** Where these folders are said to be, and where that leads: they differ where one on the way is a link. */
async function readableBelow(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return [...new Set([...folders, ...real])].map((folder) => `--allow-fs-read=${join(folder, '*')}`);
}

export function createExaminer(settings: ExaminerSettings): Examiner {
  const inTurn = queueingSemaphore(
    { permits: maxProcesses, queue: maxWaiting },
    () => new TooManyRequests(`${maxWaiting} modules of packages wait until they are looked at`, 5),
  );
  let permission: Promise<string[]> | undefined;

  /** The program may be another than the host's, of another version. */
  const permissionFlags = (): Promise<string[]> => {
    permission ??= flagsOf(settings);
    return permission;
  };

  return {
    examine: (folder, order) =>
      inTurn(async () => {
        const flags = await permissionFlags();
        const readable = await readableBelow([folder, settings.stubs, dirname(settings.program)]);
        const child = ownedProcess(
          spawn(
            settings.execPath,
            [
              `--max-old-space-size=${heapMB}`,
              '--max-semi-space-size=4',
              ...flags,
              ...(flags.length > 0 ? readable : []),
              settings.program,
            ],
            { cwd: folder, env: { ...settings.env }, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] },
          ),
        );
        return hear(child, order, settings.millis);
      }),
  };
}

function hear(child: ChildProcess, order: ExamineOrder, millis: number): Promise<Examined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let outcome: Examined | undefined;
    const end = (result: Examined) => {
      outcome ??= result;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () =>
        end({ problem: `it was not imported within ${millis} ms (limits.examineMillis)`, isPassing: true }),
      millis,
    );
    const watch = setInterval(async () => {
      if ((await residentOf(child)) > residentMB)
        end({ problem: tooMuchMemory(residentMB), isPassing: false });
    }, lookMillis);
    const output = child.stdio[3];
    if (output instanceof Readable) {
      output.on('error', () => {});
      output.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maxAnswerBytes)
          end({ problem: `what it says of itself is longer than ${maxAnswerBytes} bytes`, isPassing: false });
        else if (chunk.includes('\n')) end(answerIn(Buffer.concat(chunks).toString('utf8')));
      });
    }
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(order));
    const settle = (otherwise: Examined) => {
      clearTimeout(timer);
      clearInterval(watch);
      resolve(outcome ?? otherwise);
    };
    child.on('error', (error) =>
      settle({ problem: `it can't be looked at: ${error.message}`, isPassing: true }),
    );
    child.on('close', (code, signal) => settle(endOf(code, signal)));
  });
}

function answerIn(text: string): Examined {
  try {
    return { answer: ExamineAnswer.parse(JSON.parse(text.slice(0, text.indexOf('\n')))) };
  } catch {
    return { problem: 'what it says of itself is no description of operator classes', isPassing: false };
  }
}

/** Megabytes. Linux tells; elsewhere the limits of time and heap are all there is. */
async function residentOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

const tooMuchMemory = (limitMB: number) => `it ran out of ${limitMB} MB of memory while it was imported`;

/** The runtime's own end at its heap limit. */
const outOfMemory = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

const endOf = (code: number | null, signal: string | null): Examined =>
  signal !== null && outOfMemory.includes(signal)
    ? { problem: tooMuchMemory(heapMB), isPassing: false }
    : {
        problem: `it ended the process that imported it (${signal === null ? `code ${code}` : signal})`,
        isPassing: signal !== null,
      };

function flagsOf({ execPath, env }: ExaminerSettings): Promise<string[]> {
  const names = "['--permission', '--experimental-permission']";
  const script = `${names}.find((name) => process.allowedNodeEnvironmentFlags.has(name)) ?? ''`;
  return new Promise((resolve) => {
    const child = ownedProcess(
      spawn(execPath, ['-p', script], { env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', () => resolve([]));
    child.on('close', () => resolve(text.trim().startsWith('--') ? [text.trim()] : []));
  });
}
