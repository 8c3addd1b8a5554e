import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { NotFound, type PackageContent, storedPart, writeArchive } from 'headgate/driver-kit';

const isLibrary = ({ name }: { readonly name: string }): boolean => /^lib\/[^/]+\.jar$/i.test(name);

/**
 * A file of a package as Flink runs it. With a jar goes what lies in `lib/` of the package: Flink looks for libraries in `lib/` of the
 * jar that it is given (its `PackagedProgram`). Rejects with `NotFound`.
 */
export async function programJar(
  content: PackageContent,
  file: string,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const program = content.files.find(({ name }) => name === file);
  if (!program) throw new NotFound('file in the package', file);
  const libraries = content.files.filter((one) => isLibrary(one) && one !== program);
  if (!file.endsWith('.jar') || libraries.length === 0) return content.open(file);
  const parts = [];
  for (const [index, { name, size }] of [program, ...libraries].entries()) {
    // In this order, which is that of the class path; a library may have the name of the program.
    const place = `lib/${String(index).padStart(4, '0')}-${basename(name)}`;
    parts.push(await storedPart({ name: place, size, open: () => content.open(name) }, signal));
  }
  return writeArchive(parts, signal ? { signal } : {});
}
