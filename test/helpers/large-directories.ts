import { type Files, manifest, packageOf } from './packages.js';
import { type EntrySpec, extraField, zipBytes } from './zip-bytes.js';

/** A package whose directory has about so many bytes: they are in extra fields of few entries. */
export function packageWithDirectory(bytes: number, files: Files = {}): Buffer {
  const extra = extraField(0x6375, Buffer.alloc(65_000));
  const entries = Array.from(
    { length: Math.floor(bytes / extra.length) },
    (_, index): EntrySpec => ({ name: `data/${index}`, method: 0, central: { extra } }),
  );
  return packageOf({}, files, entries);
}

/** A package of so many empty files with names about as long as they may be, which take two bytes for each character in memory. */
export function packageOfEntries(count: number, name = 'sensors'): Buffer {
  const entries = Array.from(
    { length: count },
    (_, index): EntrySpec => ({
      name: `日/${String(index).padStart(6, '0')}${'N'.repeat(480)}`,
      method: 0,
    }),
  );
  const first: EntrySpec = { name: 'META-INF/MANIFEST.MF', content: manifest(name, '1.0.0') };
  return zipBytes({ entries: [first, ...entries], zip64: {}, end: { entries: 0xffff } });
}
