import type { JarSource } from '../../interfaces/jar-reader.js';
import { NotFound } from '../../model/errors.js';
import type { Archive } from './archive/reader.js';

export const jarSource = (archive: Archive): JarSource => ({
  files: archive.entries,
  async read(file, maxBytes) {
    const entry = archive.entry(file);
    if (!entry) throw new NotFound('file in the package', file);
    return archive.read(entry, maxBytes);
  },
});
