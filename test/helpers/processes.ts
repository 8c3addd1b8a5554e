import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RunningProgram {
  readonly pid: number | undefined;
  /** Everything it printed so far. */
  output(): string;
  /** Resolves the match when the output has it; rejects with the output when the program ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

/** Starts a program with its output collected. The caller stops it. */
export function start(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): RunningProgram {
  // Tap makes every child load a file of its own, and so would the children of this one: those without the permission
  // to read it would end.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', command, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const waiting = new Set<() => void>();
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    for (const check of waiting) check();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal);

  return {
    pid: child.pid,
    output: () => output,
    printed(pattern) {
      return new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(output);
          if (!match) return;
          waiting.delete(check);
          resolve(match);
        };
        waiting.add(check);
        exited.then((code) =>
          reject(new Error(`It ended with ${code} before it printed ${pattern}:\n${output}`)),
        );
        check();
      });
    },
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a program to its end and resolves what it printed; rejects with it when it fails. */
export async function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Readonly<Record<string, string>> },
): Promise<string> {
  const program = start(command, args, options);
  const code = await program.exited;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${program.output()}`);
  return program.output();
}
