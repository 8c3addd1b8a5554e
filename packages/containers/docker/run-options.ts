import { isAbsolute, normalize } from 'node:path';
import type { DockerRuntimeOptions } from './options.js';

/** What the words of `run` come to. */
export interface RunOptions {
  readonly image: string;
  /** Empty: what the image says. */
  readonly command: readonly string[];
  readonly env: string[];
  readonly labels: Record<string, string>;
  readonly ports: Port[];
  readonly volumes: Volume[];
  memoryBytes?: number;
  nanoCpus?: number;
  network?: string;
  entrypoint?: string;
  workdir?: string;
  user?: string;
  hostname?: string;
  readOnly?: boolean;
  init?: boolean;
}

interface Port {
  /** `80/tcp`. */
  readonly inside: string;
  /** Empty: as the driver does where nobody says. */
  readonly address: string;
  /** Empty: any free one. */
  readonly outside: string;
}

interface Volume {
  /** A name, or a path of the runtime's machine. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

type Draft = Omit<RunOptions, 'image' | 'command'>;
/** Returns what is wrong with the value. */
type Take = (draft: Draft, value: string) => string | undefined;
type Rules = Pick<DockerRuntimeOptions, 'hostPaths' | 'hostNetwork'>;

/** A variable stands in it. */
const isOpen = (value: string): boolean => /\$\{[^{}]*\}/.test(value);
const ownLabels = 'headgate.';

const taken: Readonly<Record<string, (rules: Rules) => Take>> = {
  env: () => (draft, value) => {
    if (!/^[^=]+=/.test(value))
      return 'needs NAME=value: nothing is taken from the environment of the gateway';
    draft.env.push(value);
    return undefined;
  },
  label: () => (draft, value) => {
    const [name = '', ...rest] = value.split('=');
    if (name === '' || name.startsWith(ownLabels))
      return `needs name=value, with a name that does not begin with ${ownLabels}`;
    draft.labels[name] = rest.join('=');
    return undefined;
  },
  publish: () => takePort,
  volume: (rules) => (draft, value) => takeVolume(draft, value, rules),
  memory: () => (draft, value) => {
    const [, number = '', unit = 'b'] = /^(\d{1,15})([bkmg])?$/i.exec(value) ?? [];
    const bytes = Number(number) * 1024 ** 'bkmg'.indexOf(unit.toLowerCase());
    // The runtime takes no less.
    if (!(bytes >= 6 * 2 ** 20 && bytes <= Number.MAX_SAFE_INTEGER)) return 'needs 6m or more: 512m, 2g';
    draft.memoryBytes = bytes;
    return undefined;
  },
  cpus: () => (draft, value) => {
    const cpus = /^\d{1,4}(\.\d{1,9})?$/.test(value) ? Number(value) : 0;
    if (!(cpus >= 0.01)) return 'needs a number of CPUs of at least 0.01: 0.5, 2';
    draft.nanoCpus = Math.round(cpus * 1e9);
    return undefined;
  },
  network:
    ({ hostNetwork }) =>
    (draft, value) => {
      if (value === 'host' && !hostNetwork)
        return 'host is not offered: the host of the gateway has to allow it';
      if (!/^[A-Za-z0-9][\w.-]{0,127}$/.test(value)) return 'needs bridge, none, or the name of a network';
      draft.network = value;
      return undefined;
    },
  entrypoint: () => text('entrypoint', /./),
  workdir: () => text('workdir', /^\//),
  user: () => text('user', /^[\w][\w.-]{0,63}(:[\w][\w.-]{0,63})?$/),
  hostname: () => text('hostname', /^[A-Za-z0-9][A-Za-z0-9.-]{0,62}$/),
};

/** Options without a value. */
const flags: Readonly<Record<string, (draft: Draft) => void>> = {
  // What is done anyway.
  detach: () => {},
  'read-only': (draft) => {
    draft.readOnly = true;
  },
  init: (draft) => {
    draft.init = true;
  },
};

const refused: Readonly<Record<string, string>> = {
  restart: 'is not offered here: the gateway itself starts an enabled service again',
  name: 'is not offered here: the service has a name',
  rm: 'is not offered here: the gateway clears away what has ended',
};

const aliases: Readonly<Record<string, string>> = {
  e: 'env',
  l: 'label',
  p: 'publish',
  v: 'volume',
  m: 'memory',
  net: 'network',
  w: 'workdir',
  u: 'user',
  h: 'hostname',
  d: 'detach',
};

export const offeredOptions: readonly string[] = [...Object.keys(taken), ...Object.keys(flags)].sort();

/**
 * The words after `docker run`: options up to the image, then the image, then its command. Nothing but these options. As
 * long as values are `open`, a `${...}` fits everywhere, and what comes out is only told to be right or wrong.
 */
export function parseRun(
  words: readonly string[],
  rules: Rules,
  values: 'open' | 'known',
): { readonly run: RunOptions | undefined; readonly problems: readonly string[] } {
  const mayBe = (value: string) => values === 'open' && isOpen(value);
  const draft: Draft = { env: [], labels: {}, ports: [], volumes: [] };
  const problems: string[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      at++;
      break;
    }
    if (!/^-./.test(word)) break;
    const { shown, name, attached } = optionOf(word);
    const rule = taken[name];
    const flag = flags[name];
    if (flag && attached === undefined) flag(draft);
    else if (rule) {
      const value = attached ?? words[++at];
      const problem =
        value === undefined ? 'needs a value' : mayBe(value) ? undefined : rule(rules)(draft, value);
      if (problem) problems.push(`${shown} ${problem}`);
    } else
      problems.push(
        `${shown} ${refused[name] ?? `is not offered here; there are ${offeredOptions.map((o) => `--${o}`).join(', ')}`}`,
      );
  }
  const [image, ...command] = words.slice(at);
  if (image === undefined) problems.push('names no image');
  else if (!mayBe(image) && !isImage(image)) problems.push(`${JSON.stringify(image)} is no name of an image`);
  if (image === undefined || problems.length > 0) return { run: undefined, problems };
  return { run: { ...draft, image: withTag(image), command }, problems };
}

/** `--env=A=b`, `--env`, `-e`, `-eA=b`, `-e=A=b`. */
function optionOf(word: string): { shown: string; name: string; attached: string | undefined } {
  const [, long, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { shown: `--${long}`, name: aliases[long] ?? long, attached: value };
  const letter = word.charAt(1);
  const rest = word.slice(2).replace(/^=/, '');
  const name = aliases[letter] ?? '';
  // Several letters in one word are flags: of them there is one.
  if (name === 'detach' && rest !== '') return { shown: word, name: '', attached: undefined };
  return { shown: `-${letter}`, name, attached: rest === '' ? undefined : rest };
}

function text(member: 'entrypoint' | 'workdir' | 'user' | 'hostname', pattern: RegExp): Take {
  return (draft, value) => {
    if (!pattern.test(value)) return `can't be ${JSON.stringify(value)}`;
    draft[member] = value;
    return undefined;
  };
}

/** `80`, `8080:80`, `127.0.0.1:8080:80`, `127.0.0.1::80`, each with `/udp` behind. */
function takePort(draft: Draft, value: string): string | undefined {
  const [, address = '', outside = '', inside = '', protocol = 'tcp'] =
    /^(?:(?:(\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]+\]):)?(\d{0,5}):)?(\d{1,5})(?:\/(tcp|udp))?$/i.exec(value) ??
    [];
  const isPort = (port: string) => Number(port) >= 1 && Number(port) <= 65535;
  if (!isPort(inside) || (outside !== '' && !isPort(outside)))
    return 'needs ports from 1 to 65535: 80, 8080:80, 127.0.0.1:8080:80';
  draft.ports.push({
    inside: `${Number(inside)}/${protocol.toLowerCase()}`,
    address: address.replace(/^\[|\]$/g, ''),
    outside,
  });
  return undefined;
}

/** `name:/path`, `/path/outside:/path`, each with `:ro` behind. */
function takeVolume(draft: Draft, value: string, { hostPaths = [] }: Rules): string | undefined {
  const [source = '', target = '', mode = 'rw', ...more] = value.split(':');
  if (more.length > 0 || !isAbsolute(target) || !/^r[ow]$/.test(mode))
    return 'needs name:/path/inside, with :ro behind it for reading only';
  const isPath = isAbsolute(source);
  if (!isPath && !/^[A-Za-z0-9][\w.-]{1,127}$/.test(source))
    return `${JSON.stringify(source)} is no name of a volume`;
  if (isPath && !hostPaths.some((allowed) => isWithin(normalize(source), normalize(allowed))))
    return `mounts ${source}, which is below none of the directories that the host of the gateway allows`;
  draft.volumes.push({ source: isPath ? normalize(source) : source, target, readOnly: mode === 'ro' });
  return undefined;
}

const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);

/** `[registry[:port]/]path[:tag][@digest]`. */
const isImage = (image: string): boolean =>
  image.length <= 512 &&
  /^(?:[a-z0-9.-]+(?::\d{1,5})?\/)?[a-z0-9]+(?:(?:[._]|__|-+|\/)[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/.test(
    image,
  );

/** Without a tag some runtimes would pull all that there are. */
const withTag = (image: string): string => (/[:@][^/]*$/.test(image) ? image : `${image}:latest`);
