import { decodeXml, type HadoopConfiguration, readHadoopXml } from '../../formats/hadoop-xml.js';
import {
  editHadoopXml,
  emptyConfiguration,
  emptyRead,
  type PropertyEdit,
} from '../../formats/hadoop-xml-edit.js';
import { GatewayError, NotReady } from '../../model/errors.js';
import { BrokenSiteFile } from './site-errors.js';
import type { SitePlace } from './site-place.js';

/** Room for some thousand properties with descriptions. */
const limits = { maxBytes: 1024 * 1024, maxDepth: 16, maxElements: 20_000 };

interface SiteFile {
  readonly isThere: boolean;
  readonly text: string;
  readonly xml: HadoopConfiguration;
}

/** What one file is to say. */
export interface Rewrite {
  readonly place: SitePlace;
  /** `undefined`: there was no such file. */
  readonly before: string | undefined;
  readonly next: string;
}

/** One that is not there says nothing. Rejects with `BrokenSiteFile`. */
export async function readSiteFile(place: Pick<SitePlace, 'label' | 'read'>): Promise<SiteFile> {
  const { label } = place;
  try {
    const bytes = await place.read();
    if (bytes === undefined) return { isThere: false, text: emptyConfiguration, xml: emptyRead };
    const text = decodeXml(bytes, label, limits.maxBytes);
    return { isThere: true, text, xml: await readHadoopXml(text, label, limits) };
  } catch (error) {
    if (error instanceof NotReady) throw error;
    throw new BrokenSiteFile(error instanceof GatewayError ? error.message : `${label} can't be read`, error);
  }
}

/** The new text, proved to be one that can be read back; `undefined` when nothing changes. */
export async function rewriteOf(
  place: SitePlace,
  edits: readonly PropertyEdit[],
): Promise<Rewrite | undefined> {
  if (edits.length === 0) return undefined;
  const { text, xml, isThere } = await readSiteFile(place);
  const next = editHadoopXml(text, xml, edits);
  if (next === text) return undefined;
  await readHadoopXml(decodeXml(Buffer.from(next), place.label, limits.maxBytes), place.label, limits);
  return { place, before: isThere ? text : undefined, next };
}

/** Whether all places hold again what they held. */
export async function putBack(rewrites: readonly Rewrite[]): Promise<boolean> {
  try {
    for (const { place, before } of rewrites) {
      const bytes = await place.read();
      if ((bytes && new TextDecoder().decode(bytes)) === before) continue;
      await (before === undefined ? place.remove() : place.write(before));
    }
    return true;
  } catch {
    return false;
  }
}
