import { timeSlice } from '../../../runtime/event-loop.js';
import { type ArchivePart, nameOf } from './part.js';

/**
 * The parts with an entry for each directory, before what is in it: the engine makes no directory without one when it
 * unpacks a package. The same list when nothing is missing.
 */
export async function withDirectories(parts: readonly ArchivePart[]): Promise<readonly ArchivePart[]> {
  const slice = timeSlice();
  const given = new Map<string, ArchivePart>();
  for (const part of parts) if (nameOf(part).endsWith('/')) given.set(nameOf(part), part);
  const placed = new Set(['']);
  const all: ArchivePart[] = [];
  let isChanged = false;
  for (const part of parts) {
    const name = nameOf(part);
    for (const directory of directoriesOf(name, placed)) {
      placed.add(directory);
      const there = given.get(directory);
      isChanged ||= there !== part;
      all.push(there ?? { name: directory, content: nothing, modified: longAgo });
    }
    if (!name.endsWith('/')) all.push(part);
    if (slice.isOver()) await slice.next();
  }
  return isChanged ? all : parts;
}

const nothing: Buffer = Buffer.alloc(0);
/** The same each time, so that the same parts give the same bytes. */
const longAgo = new Date(0);

/** `lib/a/`, `lib/a/b/` for `lib/a/b/c.jar` where `lib/` is placed. */
function directoriesOf(name: string, placed: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (let end = name.lastIndexOf('/') + 1; ; end = name.lastIndexOf('/', end - 2) + 1) {
    const directory = name.slice(0, end);
    if (placed.has(directory)) return found.reverse();
    found.push(directory);
  }
}
