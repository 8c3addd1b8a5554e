import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jarsOf } from '../yarn/artifacts.js';
import { shortLived } from './java-options.js';

const exec = promisify(execFile);

/** Those with a pom in `jars/`. */
export const flinkVersions = ['2.3.0', '1.20.5'] as const;
export type FlinkVersion = (typeof flinkVersions)[number];

/** What runs a cluster, and compiles programs for it. */
export interface FlinkParts {
  readonly version: FlinkVersion;
  /** The directory with `java`, `javac` and `jar` in it and a slash at its end; empty: they are on the PATH. */
  readonly java: string;
  /** The directory with all jars of the cluster. */
  readonly jars: string;
}

/** Older ones run no Flink 2. */
const oldestJava = 11;

/**
 * Java as it is on this machine (`JAVA_HOME`, else the PATH), and the jars of Flink from Maven Central, fetched once into
 * the cache of `../yarn/artifacts.ts`: 70 to 85 MB a version. Throws, saying what to do, when there is no Java.
 */
export async function flinkParts(version: FlinkVersion): Promise<FlinkParts> {
  const home = process.env['JAVA_HOME'];
  const java = home ? join(home, 'bin/') : '';
  await checkJava(java);
  const pom = join(process.cwd(), 'test/stages/flink/jars', version, 'pom.xml');
  return { version, java, jars: await jarsOf(`flink-${version}`, pom) };
}

/** The directory with the jars of SQL, fetched in the same way: some 60 MB a version. */
export const sqlJarsOf = ({ version }: FlinkParts): Promise<string> =>
  jarsOf(`flink-sql-${version}`, join(process.cwd(), 'test/stages/flink/jars', version, 'sql/pom.xml'));

async function checkJava(java: string): Promise<void> {
  const { stdout } = await exec(`${java}javac`, ['-version']).catch(() => ({ stdout: '' }));
  const [, major = ''] = /^javac (\d+)/.exec(stdout) ?? [];
  if (Number(major) >= oldestJava) return;
  const found = stdout ? `only ${stdout.trim()}` : `no ${java}javac`;
  throw new Error(
    `Flink needs a JDK of Java ${oldestJava} or later, and there is ${found}: scripts/flink-peers.sh installs one, JAVA_HOME names another`,
  );
}

/** Compiles the Java of a folder against Flink and calls `work` with the jar, which is gone afterwards. */
export async function withJar<T>(
  parts: FlinkParts,
  folder: string,
  work: (jar: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-flink-jar-'));
  try {
    const classes = join(directory, 'classes');
    const jar = join(directory, 'programs.jar');
    await mkdir(classes);
    const files = (await readdir(folder)).filter((file) => file.endsWith('.java'));
    await exec(`${parts.java}javac`, [
      ...shortLived.map((option) => `-J${option}`),
      ...['-nowarn', '--release', String(oldestJava), '-cp', `${parts.jars}/*`, '-d', classes],
      ...files.map((file) => join(folder, file)),
    ]);
    await exec(`${parts.java}jar`, ['cf', jar, '-C', classes, '.']);
    return await work(jar);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
