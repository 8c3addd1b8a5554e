import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BadRequest,
  Conflict,
  type Logger,
  queueingSemaphore,
  TimedOut,
  TooManyRequests,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import { NoSpace, saysNoSpace } from '../wire/no-space.js';
import { commandLine, settingsXml } from './command-line.js';
import { commandPath, type Run, run } from './run.js';

/** How the engine's CLI is started. */
export interface CliOptions {
  /** Path of the script `apex`. */
  readonly command: string;
  readonly arguments?: readonly string[];
  /** Of its process, which gets nothing of the host's: `JAVA_HOME`, `HADOOP_CONF_DIR`, `PATH`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a command may say, bytes. */
export const launchOutputBytes = 256 * 1024;

export interface CliLimits {
  /** Commands at once; each is a JVM. */
  readonly commands: number;
  /** Commands that wait; more are refused. */
  readonly waitingCommands: number;
  readonly commandMillis: number;
}

/** One command, in a folder that is removed with it. */
export interface CliJob {
  /** An absolute path for a file of the command; the CLI takes neither blanks nor wildcards in it. */
  path(name: string): string;
  /** Weaker settings than all others, in a file that only this command reads: nobody sees them among its arguments. */
  setUp(settings: Readonly<Record<string, string>>): Promise<void>;
  /** The value of a JSON answer. Rejects with `BadRequest` or `Conflict` that carry what the engine says. */
  run(words: readonly string[], signal?: AbortSignal): Promise<unknown>;
}

export interface Cli {
  job<T>(work: (job: CliJob) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

const name = "The engine's command line";
const tailLength = 4000;

export function createCli(deps: {
  readonly cli: CliOptions;
  /** Asked for each command: another one than that of `cli`. */
  readonly program?: () => string | undefined;
  readonly limits: CliLimits;
  readonly outputBytes: number;
  /** `undefined`: whoever its own login says. */
  readonly user: string | undefined;
  /** Settings that each command finds in its home, `dt.dfsRootDirectory` among them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly logger: Logger;
}): Cli {
  const { cli, limits } = deps;
  const limited = queueingSemaphore(
    { permits: limits.commands, queue: limits.waitingCommands },
    () => new TooManyRequests("Too many commands of the engine's command line are waiting; try again", 10),
  );

  async function command(folder: string, words: readonly string[], signal: AbortSignal | undefined) {
    const began = performance.now();
    const result = await run({
      command: deps.program?.() ?? cli.command,
      arguments: [...(cli.arguments ?? []), '-r', '-e', commandLine(words)],
      environment: {
        PATH: commandPath,
        ...cli.environment,
        DT_CLIENT_OPTS: `${cli.environment?.['DT_CLIENT_OPTS'] ?? '-Xmx512m'} -Djava.io.tmpdir=${join(folder, 'tmp')}`,
        HOME: join(folder, 'home'),
        ...(deps.user === undefined ? {} : { HADOOP_USER_NAME: deps.user }),
      },
      directory: folder,
      timeoutMillis: limits.commandMillis,
      outputBytes: deps.outputBytes,
      signal,
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new Unreachable(name, error);
    });
    const millis = Math.round(performance.now() - began);
    deps.logger.debug(
      { event: 'yarn.command_run', command: words[0], code: result.code, millis },
      'The command line of the engine was run',
    );
    return answerOf(result);
  }

  return {
    job: (work, signal) =>
      limited(async () => {
        const folder = await mkdtemp(join(tmpdir(), 'headgate-cli-'));
        try {
          await mkdir(join(folder, 'home', '.dt'), { recursive: true });
          await mkdir(join(folder, 'tmp'));
          const setUp = async (settings: Readonly<Record<string, string>>) =>
            writeFile(
              join(folder, 'home', '.dt', 'dt-site.xml'),
              settingsXml({ ...deps.settings, ...settings }),
              { mode: 0o600 },
            );
          await setUp({});
          return await work({
            setUp,
            path: (file) => join(folder, file),
            run: (words, limit) => command(folder, words, limit),
          });
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }, signal),
  };
}

/** What a command answered, or why it did not, in one sentence; the end of its output goes along as a detail. */
export function answerOf({ stdout, stderr, code, isLate }: Run): unknown {
  if (isLate) throw new TimedOut(name);
  const output = withoutSecretValues(`${stderr}\n${stdout}`).trim().slice(-tailLength);
  const details = { output };
  if (code === null) throw new UnusableAnswer(name, 'was killed', { details });
  const said = reasonIn(withoutSecretValues(stderr));
  if (code !== 0 || (said !== undefined && stdout.trim() === '')) {
    const reason = said ?? `it ended with code ${code} and did not say why`;
    if (saysNoSpace(stderr)) throw new NoSpace(reason);
    if (/already running/i.test(reason))
      throw new Conflict('APPLICATION_NAME_TAKEN', `The engine refuses this: ${reason}`, details);
    throw new BadRequest('ENGINE_REFUSED', `The engine refuses this: ${reason}`, details);
  }
  const json = jsonIn(stdout);
  if (json === undefined) throw new UnusableAnswer(name, 'did not answer with JSON', { details });
  return json;
}

/** The engine repeats a command that it does not understand, with all that was said to it. */
const withoutSecretValues = (text: string): string =>
  text.replace(
    /([\w.]{0,200}(?:PASSWORD|SECRET|TOKEN|CREDENTIAL)[\w.]{0,200}\s{0,5}=\s{0,5})[^\s"]{1,2000}/gi,
    '$1********',
  );

/** Noise of the logging may come before it: what the engine says itself, else the innermost cause, else any exception. */
export function reasonIn(stderr: string): string | undefined {
  const own = /CliException: ([^\n]{1,2000})/.exec(stderr)?.[1];
  const cause = stderr
    .match(/^Caused by: [^\n]{1,2000}/gm)
    ?.at(-1)
    ?.slice('Caused by: '.length);
  return (own ?? cause ?? thrown.exec(stderr)?.[0])?.trim();
}

/** The file system's come in brackets: `RemoteException(org.apache.hadoop.hdfs...SafeModeException): ...` */
const thrown =
  /^(?:[\w.$]{1,300}(?:Exception|Error)(?:\([\w.$]{1,300}\))?(?:: [^\n]{1,2000})?|Invalid command [^\n]{1,500})/m;

function jsonIn(stdout: string): unknown {
  for (const line of stdout.trim().split('\n').reverse()) {
    if (!/^\s*[{[]/.test(line)) continue;
    try {
      return JSON.parse(line);
    } catch {
      // Of something else that was printed.
    }
  }
  return undefined;
}
