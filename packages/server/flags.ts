import { type ParseArgsConfig, parseArgs } from 'node:util';

// Every flag of the server is one line of a table; its variable, its place in the usage and its parsing follow from it.

/** What can be said on the command line, and in the environment. */
interface Flag {
  /** What stands for its value in the usage: `N`. Absent: it is on or off. */
  readonly value?: string;
  /** It may be said several times; in the environment with commas between. */
  readonly isMany?: true;
  /** It is for who types it, and in no environment. */
  readonly isTyped?: true;
  /** What it does, and its default. */
  readonly help: string;
  /** What is to be written instead, when this value can't be taken. */
  problem?(value: string): string | undefined;
}

export type Flags = Readonly<Record<string, Flag>>;

/** What was said, by the names of the flags. */
export interface Said {
  one(name: string): string | undefined;
  all(name: string): readonly string[];
  isOn(name: string): boolean;
}

/** `log-level` is `HEADGATE_LOG_LEVEL` in the environment. */
const variableOf = (name: string): string => `HEADGATE_${name.toUpperCase().replaceAll('-', '_')}`;

/** Throws an `Error` whose message says what to write. The command line goes before the environment. */
export function readFlags(
  flags: Flags,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Said {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: true },
    ]),
  );
  const { values } = parseArgs({ args: [...args], options, strict: true });
  const said = new Map<string, readonly string[]>();
  for (const [name, flag] of Object.entries(flags)) {
    const given = values[name];
    const texts = Array.isArray(given) ? given.map(String) : undefined;
    const found = texts ?? fromEnvironment(name, flag, environment[variableOf(name)]);
    const called = texts ? `--${name}` : variableOf(name);
    for (const text of found) {
      const problem = flag.problem?.(text);
      if (problem !== undefined) throw new Error(`${called} ${text} ${problem}`);
    }
    if (found.length > 0) said.set(name, found);
  }
  const all = (name: string) => said.get(name) ?? [];
  return { all, one: (name) => all(name).at(-1), isOn: (name) => all(name).at(-1) === 'true' };
}

/** An empty variable is as good as none. */
function fromEnvironment(name: string, { value, isMany, isTyped }: Flag, text = ''): readonly string[] {
  if (text === '' || isTyped) return [];
  if (value === undefined && !['true', 'false'].includes(text))
    throw new Error(`${variableOf(name)} ${text} is neither true nor false; write ${variableOf(name)}=true`);
  if (!isMany) return [text];
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

interface FlagRow {
  /** With what stands for its value. */
  readonly flag: string;
  /** Absent: it is for the command line alone. */
  readonly variable: string | undefined;
  readonly help: string;
}

/** What there is to say of each flag. */
export const rowsOf = (flags: Flags): readonly FlagRow[] =>
  Object.entries(flags).map(([name, { value, help, isTyped }]) => ({
    flag: value === undefined ? `--${name}` : `--${name} ${value}`,
    variable: isTyped ? undefined : variableOf(name),
    help,
  }));

/** The lines of the usage, of these flags. */
export function usageOf(flags: Flags): string {
  const rows = rowsOf(flags);
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  const indent = `\n${' '.repeat(width + 4)}`;
  return rows
    .map(({ flag, variable, help }) => {
      const lines = [...help.split('\n'), ...(variable === undefined ? [] : [variable])];
      return `  ${flag.padEnd(width)}  ${lines.join(indent)}`;
    })
    .join('\n');
}
