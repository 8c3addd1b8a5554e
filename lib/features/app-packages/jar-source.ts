import type { JarSource } from '../../interfaces/jar-reader.js';
import { NotFound } from '../../model/errors.js';
import type { Archive, ArchiveEntry } from './archive/reader.js';

export function jarSource(archive: Archive): JarSource {
  function found(file: string): ArchiveEntry {
    const entry = archive.entry(file);
    if (!entry) throw new NotFound('file in the package', file);
    return entry;
  }
  return {
    files: archive.entries,
    read: async (file, maxBytes) => archive.read(found(file), maxBytes),
    stored: async (file) => archive.stored(found(file)),
  };
}
