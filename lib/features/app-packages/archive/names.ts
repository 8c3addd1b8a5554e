import { BadRequest } from '../../../model/errors.js';
import type { BadRequestReason } from '../../../model/reasons.js';
import type { ArchiveLimits } from './limits.js';
import { quoted } from './records.js';

/** What is in the archive under a path, seen by a file system that takes upper and lower case for the same. */
interface Place {
  /** Without the slash at its end. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** There is an entry for it; else it is only the parent of one. */
  listed: boolean;
}

/** Takes one name after the other; refuses with `BadRequest` those that no package needs and that hurt some reader. */
interface Names {
  add(name: string): void;
  /** About what it remembers of them. */
  readonly heldBytes: number;
}

export function archiveNames(limits: Pick<ArchiveLimits, 'maxNameBytes' | 'maxDepth' | 'maxEntries'>): Names {
  // Each entry may imply as many directories as its name has levels, and their names take memory.
  const maxPlaces = 2 * limits.maxEntries;
  const places = new Map<string, Place>();
  let heldBytes = 0;
  /** Of the last name: neighbours mostly have the same. */
  let lastParent = '';

  function place(path: string, kind: Place['kind'], name: string): Place {
    const key = folded(path);
    const there = places.get(key);
    if (!there) {
      if (places.size === maxPlaces) {
        throw new BadRequest('ARCHIVE_LIMIT', `The archive has more than ${maxPlaces} files and directories`);
      }
      const made: Place = { path, kind, listed: false };
      places.set(key, made);
      heldBytes += placeBytes + textBytes(key);
      return made;
    }
    if (there.path !== path) {
      throw new BadRequest(
        'ARCHIVE_ENTRY_REFUSED',
        `The names ${quoted(there.path)} and ${quoted(path)} differ only by case or form`,
      );
    }
    if (there.kind !== kind)
      throw new BadRequest(
        'ARCHIVE_ENTRY_REFUSED',
        `${quoted(path)} is a file and a directory (${quoted(name)})`,
      );
    return there;
  }

  function placeParents(path: string, name: string): void {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash);
      const isKnown = places.has(folded(parent));
      place(parent, 'directory', name);
      // Then its own parents are as well.
      if (isKnown) break;
    }
  }

  return {
    get heldBytes() {
      return heldBytes;
    },
    add(name) {
      checkName(name, limits, 'ARCHIVE_ENTRY_REFUSED');
      const isDirectory = name.endsWith('/');
      const path = isDirectory ? name.slice(0, -1) : name;
      const own = place(path, isDirectory ? 'directory' : 'file', name);
      if (own.listed)
        throw new BadRequest('ARCHIVE_ENTRY_REFUSED', `${quoted(name)} is in the archive twice`);
      own.listed = true;
      heldBytes += textBytes(name);
      const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
      if (parent !== lastParent) placeParents(path, name);
      lastParent = parent;
    },
  };
}

/** What V8 takes for a place besides its texts. */
const placeBytes = 180;
/** One that is not ASCII may take two bytes for each character. */
const textBytes = (text: string): number => (printableAscii.test(text) ? text.length : 2 * text.length);

const printableAscii = /^[ -~]*$/;

const folded = (path: string): string =>
  printableAscii.test(path) ? path.toLowerCase() : path.normalize('NFC').toUpperCase().toLowerCase();

/** Throws `BadRequest` unless the name is a relative path that means the same to every reader. */
export function checkName(
  name: string,
  limits: Pick<ArchiveLimits, 'maxNameBytes' | 'maxDepth'>,
  code: BadRequestReason,
): void {
  const wrong = fault(name, limits);
  if (wrong) throw new BadRequest(code, `The entry ${quoted(name)} can't be taken: its name ${wrong}`);
}

/** As nearly all are: characters of no special meaning, in segments of which none is empty or begins with a dot. */
const ordinary = /^(?:[\w$@+-][\w$@+.-]*\/)*[\w$@+-][\w$@+.-]*\/?$/;

function fault(name: string, limits: Pick<ArchiveLimits, 'maxNameBytes' | 'maxDepth'>): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > limits.maxNameBytes || Buffer.byteLength(name) > limits.maxNameBytes) {
    return `is longer than ${limits.maxNameBytes} bytes`;
  }
  const isOrdinary = ordinary.test(name);
  const wrong = isOrdinary ? undefined : characterFault(name);
  if (wrong !== undefined) return wrong;
  const segments = name.split('/');
  if (name.endsWith('/')) segments.pop();
  if (segments.length > limits.maxDepth) return `has more than ${limits.maxDepth} levels`;
  if (isOrdinary) return undefined;
  for (const segment of segments) {
    if (segment === '') return 'holds an empty segment';
    if (segment === '.' || segment === '..') return `holds the segment ${quoted(segment)}`;
  }
  return undefined;
}

function characterFault(name: string): string | undefined {
  if (name.includes('\0')) return 'holds a NUL character';
  if (/\p{Cc}/u.test(name)) return 'holds a control character';
  if (name.includes('\\')) return 'holds a backslash; separate directories by /';
  if (name.startsWith('/')) return 'is absolute';
  if (/^[A-Za-z]:/.test(name)) return 'begins with a drive letter';
  return undefined;
}
