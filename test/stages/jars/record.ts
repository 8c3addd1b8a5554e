import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { artifacts } from '../yarn/artifacts.js';
import { type EngineAnswer, ofEngine } from './answers.js';
import { publishedJars } from './published.js';

// Asks the engine's own discovery and keeps its answer: `node build/test/stages/jars/record.js`.

const exec = promisify(execFile);
const { javaHome, engine, hadoop } = await artifacts();
const { malhar } = await publishedJars();
const directory = await mkdtemp(join(tmpdir(), 'headgate-record-'));
const isRunner = (name: string) => /^(hadoop-minicluster|malhar)/.test(name);
const jars = [];
for (const folder of [engine, hadoop])
  for (const name of await readdir(folder)) if (!isRunner(name)) jars.push(join(folder, name));
const classPath = [...jars, directory].join(':');
const answer = join(directory, 'answer.jsonl');
try {
  await exec(join(javaHome, 'bin/javac'), [
    '-cp',
    classPath,
    '-d',
    directory,
    'test/stages/jars/RecordOperators.java',
  ]);
  await exec(join(javaHome, 'bin/java'), ['-Xmx2g', '-cp', classPath, 'RecordOperators', answer, malhar]);
  const lines = (await readFile(answer, 'utf8')).trim().split('\n');
  const told = lines.map((line): EngineAnswer => JSON.parse(line)).map(ofEngine);
  const sorted = told.sort((a, b) => (a.name < b.name ? -1 : 1));
  await writeFile(
    'test/stages/jars/malhar-library-3.8.0.jsonl',
    `${sorted.map((operator) => JSON.stringify(operator)).join('\n')}\n`,
  );
} finally {
  await rm(directory, { recursive: true });
}
