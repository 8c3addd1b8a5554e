import { isAbsolute, normalize } from 'node:path';

/** What `run` asks for. */
export interface Command {
  readonly env: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly memoryBytes?: number;
  /** Relative to the program's directory. */
  readonly workdir: string;
  /** Where the program will listen; 0: wherever there is a free one. */
  readonly ports: readonly number[];
  readonly program: string;
  readonly args: readonly string[];
}

const names: Readonly<Record<string, string>> = {
  '-e': '--env',
  '-m': '--memory',
  '-w': '--workdir',
  '-p': '--publish',
};

interface Reading {
  readonly env: Record<string, string>;
  memoryBytes?: number;
  workdir: string;
  readonly ports: number[];
}

/** Each returns what is wrong with the value. */
const options: Readonly<Record<string, (value: string, into: Reading) => string | undefined>> = {
  '--env'(value, { env }) {
    const at = value.indexOf('=');
    if (at < 1) return 'needs NAME=VALUE: nothing of the environment of the gateway goes along';
    env[value.slice(0, at)] = value.slice(at + 1);
    return undefined;
  },
  '--memory'(value, into) {
    const [, digits, unit = 'b'] = /^(\d{1,15})([bkmg]?)$/i.exec(value) ?? [];
    const bytes = Number(digits) * 1024 ** 'bkmg'.indexOf(unit.toLowerCase() || 'b');
    if (!(bytes >= 1024 ** 2)) return 'needs at least one megabyte, such as 256m';
    into.memoryBytes = bytes;
    return undefined;
  },
  '--workdir'(value, into) {
    if (leavesDirectory(value)) return "must stay in the program's own directory";
    into.workdir = value;
    return undefined;
  },
  '--publish'(value, { ports }) {
    const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
    if (!(port <= 65_535))
      return 'needs the port that the program listens on, or 0 for a free one: none is mapped';
    ports.push(port);
    return undefined;
  },
};

/** A path that would lead out of the directory it is in. */
const leavesDirectory = (path: string): boolean => isAbsolute(path) || /^\.\.(\/|$)/.test(normalize(path));

/** A variable stands in it. */
const isOpen = (value: string): boolean => /\$\{[^{}]*\}/.test(value);

/** Options, then the program, then its arguments. As long as values are `open`, a `${...}` fits everywhere. */
export function readCommand(
  words: readonly string[],
  values: 'open' | 'known',
): { readonly command: Command; readonly problem?: undefined } | { readonly problem: string } {
  const into: Reading = { env: {}, workdir: '.', ports: [] };
  let at = 0;
  for (; words[at]?.startsWith('-'); at++) {
    const word = words[at] ?? '';
    const [, long = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const name = names[long] ?? long;
    const read = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!read)
      return {
        problem: `${long} is not offered for processes; there are ${Object.keys(options).join(', ')}`,
      };
    const value = joined ?? words[++at];
    if (value === undefined) return { problem: `${long} needs a value` };
    const problem = values === 'open' && isOpen(value) ? undefined : read(value, into);
    if (problem !== undefined) return { problem: `${long} ${value} ${problem}` };
  }
  const [program, ...args] = words.slice(at);
  if (program === undefined) return { problem: 'names no program' };
  if (!isAbsolute(program) && leavesDirectory(program))
    return { problem: `${program} is not in the program's own directory` };
  const { env, memoryBytes, workdir, ports } = into;
  return {
    command: { env, workdir, ports, program, args, ...(memoryBytes === undefined ? {} : { memoryBytes }) },
  };
}
