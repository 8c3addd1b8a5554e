import { execFile } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Artifacts } from './artifacts.js';

const exec = promisify(execFile);
const sources = join(process.cwd(), 'test/stages/yarn');

/** The library of operators and the operators of `operators/`, compiled into a jar beside it: the path of a directory. */
export async function compiledJars(parts: Artifacts, directory: string): Promise<string> {
  const { javaHome, engine, packageJars } = parts;
  const classes = join(directory, 'classes');
  const jars = join(directory, 'jars');
  await cp(packageJars, jars, { recursive: true });
  await compile(parts, 'operators', classes, `${engine}/*:${packageJars}/*`);
  await exec(join(javaHome, 'bin/jar'), ['cf', join(jars, 'operators.jar'), '-C', classes, '.']);
  return jars;
}

/** Compiles all of one folder beside this file into `classes`. */
export async function compile(
  { javaHome }: Artifacts,
  folder: string,
  classes: string,
  classPath: string,
): Promise<void> {
  await mkdir(classes);
  const files = (await readdir(join(sources, folder), { recursive: true })).filter((file) =>
    file.endsWith('.java'),
  );
  await exec(join(javaHome, 'bin/javac'), [
    ...['-nowarn', '-cp', classPath, '-d', classes],
    ...files.map((file) => join(sources, folder, file)),
  ]);
}
