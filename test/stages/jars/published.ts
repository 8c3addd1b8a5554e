import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import yauzl from 'yauzl';
import { jarsOf } from '../yarn/artifacts.js';

/** Jars as they were published, fetched once and kept between runs. */
export async function publishedJars() {
  const directory = await jarsOf('published', join(process.cwd(), 'test/stages/jars/pom/pom.xml'));
  const jar = (name: string) => join(directory, `${name}.jar`);
  return {
    malhar: jar('malhar-library-3.8.0'),
    api: jar('apex-api-3.7.0'),
    common: jar('apex-common-3.7.0'),
  };
}

/** The class files in a jar. */
export async function classFilesIn(jar: string): Promise<Buffer[]> {
  const archive = await yauzl.fromBufferPromise(await readFile(jar));
  const found: Buffer[] = [];
  for await (const entry of archive.eachEntry()) {
    if (!entry.fileName.endsWith('.class')) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
    found.push(Buffer.concat(chunks));
  }
  return found;
}
