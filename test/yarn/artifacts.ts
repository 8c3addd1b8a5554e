import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const root = process.cwd();

/** Where everything that was fetched is kept between runs. */
export const cache = process.env['HEADGATE_CACHE'] ?? join(homedir(), '.cache/headgate');

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
  const { stdout } = await exec(join(root, 'scripts/java-8.sh'));
  return {
    javaHome: stdout.trim(),
    hadoop: await jarsOf('hadoop', pom('hadoop')),
    engine: await jarsOf('engine', pom('engine')),
    packageJars: await jarsOf('package', pom('package')),
  };
}

const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

const pom = (name: string): string => join(root, 'test/yarn/jars', name, 'pom.xml');

/** The jars that the file `pom` asks for, with all they need, as a directory. A changed pom makes a new one. */
export async function jarsOf(name: string, pom: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex');
  const directory = join(cache, `${name}-${digest.slice(0, 12)}`);
  if (await exists(directory)) return directory;

  const part = `${directory}.${process.pid}`;
  await mkdir(part, { recursive: true });
  const args = ['-B', '-C', '-ntp', '-q', '-f', pom, copyDependencies, '-DincludeScope=runtime'];
  await persistently(() => exec('mvn', [...args, `-DoutputDirectory=${part}`]));
  // Another run may have been faster: its directory is as good.
  await rename(part, directory).catch(() => rm(part, { recursive: true }));
  return directory;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A registry may be busy for a moment. */
async function persistently<T>(ask: () => Promise<T>, tries = 4): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (tries === 1) throw error;
    return persistently(ask, tries - 1);
  }
}
