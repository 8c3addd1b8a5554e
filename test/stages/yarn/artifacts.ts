import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const root = process.cwd();
const ownCache = process.env['HEADGATE_CACHE'];

/** Where everything that was fetched is kept between runs. */
export const cache = ownCache ?? join(homedir(), '.cache/headgate');

/** What runs the cluster and the engine, as directories. */
export interface Artifacts {
  readonly javaHome: string;
  readonly hadoop: string;
  readonly engine: string;
  /** The jars that an application package brings. */
  readonly packageJars: string;
}

/** Fetches what is not in the cache yet: Java from Debian, jars from Maven Central, by name and version. */
export async function artifacts(): Promise<Artifacts> {
  const stdout = await persistently('Java 8', () => run(join(root, 'scripts/java-8.sh'), []));
  return {
    javaHome: stdout.trim(),
    hadoop: await jarsOf('hadoop', pom('hadoop')),
    engine: await jarsOf('engine', pom('engine')),
    packageJars: await jarsOf('package', pom('package')),
  };
}

const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

const pom = (name: string): string => join(root, 'test/stages/yarn/jars', name, 'pom.xml');

/** The jars that the file `pom` asks for, with all they need, as a directory. A changed pom makes a new one. */
export async function jarsOf(name: string, pom: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex');
  const directory = join(cache, `${name}-${digest.slice(0, 12)}`);
  if (await exists(directory)) return directory;

  const part = `${directory}.${process.pid}`;
  await mkdir(part, { recursive: true });
  const maven = (await persistently('Maven', () => run(join(root, 'scripts/maven.sh'), []))).trim();
  const args = [
    ...['-B', '-C', '-ntp', '-q', '-f', pom, copyDependencies, '-DincludeScope=runtime'],
    // A connection that says nothing is given up and made anew.
    '-Dmaven.wagon.rto=60000',
    `-DoutputDirectory=${part}`,
    // With a cache of its own, nothing of this machine's user is used.
    ...(ownCache === undefined ? [] : [`-Dmaven.repo.local=${join(cache, 'maven')}`]),
  ];
  console.error(`# fetching the jars of ${name}`);
  await persistently(`the jars of ${name}`, () => run(maven, args)).catch(async (error) => {
    await rm(part, { recursive: true });
    throw error;
  });
  // Another run may have been faster: its directory is as good.
  await rename(part, directory).catch(() => rm(part, { recursive: true }));
  return directory;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Milliseconds: much longer than a download takes, and less than a test run may. */
const timeoutMillis = 240_000;

async function run(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await exec(command, [...args], { timeout: timeoutMillis })).stdout;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Maven says what went wrong on its standard output.
    const said = 'stdout' in error && error.stdout !== '' ? `\n${String(error.stdout).slice(-4000)}` : '';
    throw new Error(`${error.message}${said}`);
  }
}

/** A registry may be busy for a moment, or for a minute. */
async function persistently<T>(what: string, ask: () => Promise<T>, tries = 4, pause = 2000): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (tries === 1) throw error;
    const [line = ''] = String(error).split('\n');
    console.error(`# ${what}: ${line.slice(0, 200)}; once more in ${pause / 1000} s`);
    await delay(pause);
    return persistently(what, ask, tries - 1, pause * 3);
  }
}
