import { z } from 'zod';
import { BrokenSiteFile, GatewayError, StorageFailed } from '../../core/errors.js';
import { decodeXml, type HadoopConfiguration, readHadoopXml } from '../../core/hadoop-xml.js';
import { editHadoopXml, emptyConfiguration, type PropertyEdit } from '../../core/hadoop-xml-edit.js';
import { oneByOne } from '../../core/one-by-one.js';
import type { SitePlace } from './site-place.js';

export type WritableScope = 'GLOBAL' | 'LOCAL';
export type SiteScope = WritableScope | 'USER';
/** From the weakest. */
export const siteScopes: readonly SiteScope[] = ['GLOBAL', 'LOCAL', 'USER'];

export interface SiteEntry {
  readonly name: string;
  /** As it stands in the file. */
  readonly text: string;
  readonly description?: string;
  readonly isFinal: boolean;
}

/** What the site files say, by scope and name. Entries without a value say nothing. */
export type SiteLayers = Readonly<Record<SiteScope, ReadonlyMap<string, SiteEntry>>>;

export type SiteEdits = Readonly<Record<WritableScope, readonly PropertyEdit[]>>;

export interface SitePlaces {
  readonly GLOBAL: SitePlace;
  readonly LOCAL: SitePlace;
  readonly USER: Pick<SitePlace, 'label' | 'read'> | undefined;
  /** What has been begun over two files. */
  readonly journal: SitePlace;
}

/** The site files: read and changed as people wrote them. */
export interface Site {
  /** Ends first what a crash has interrupted. Rejects with `BrokenSiteFile`; nothing is touched then. */
  load(): Promise<SiteLayers>;
  /**
   * All or none, onto what the files say at this moment, also over a crash. `edits` decides by that, and may throw.
   * Rejects with `BrokenSiteFile` as `load` does.
   */
  edit(edits: (layers: SiteLayers) => Promise<SiteEdits> | SiteEdits): Promise<SiteLayers>;
}

/** Room for some thousand properties with descriptions. */
const limits = { maxBytes: 1024 * 1024, maxDepth: 16, maxElements: 20_000 };

const Edit = z.object({
  name: z.string(),
  set: z.object({ value: z.string(), description: z.string().optional() }).optional(),
});
const Journal = z.object({ GLOBAL: z.array(Edit), LOCAL: z.array(Edit) });

interface ReadFile {
  readonly text: string;
  readonly xml: HadoopConfiguration;
}

export function createSite(places: SitePlaces): Site {
  const inTurn = oneByOne();
  const alone = <T>(work: () => Promise<T>) => inTurn('site', work);

  async function readFile(scope: SiteScope): Promise<ReadFile> {
    const place = places[scope];
    const label = place?.label ?? '';
    try {
      const bytes = await place?.read();
      const text = bytes ? decodeXml(bytes, label, limits.maxBytes) : emptyConfiguration;
      return { text, xml: await readHadoopXml(text, label, limits) };
    } catch (error) {
      throw new BrokenSiteFile(
        error instanceof GatewayError ? error.message : `${label} can't be read`,
        error,
      );
    }
  }

  async function layers(): Promise<SiteLayers> {
    const [global, local, user] = await Promise.all(siteScopes.map(readFile));
    return { GLOBAL: entriesOf(global), LOCAL: entriesOf(local), USER: entriesOf(user) };
  }

  /** The new text, proved to be one that can be read back; `undefined` when nothing changes. */
  async function edited(scope: WritableScope, edits: readonly PropertyEdit[]): Promise<string | undefined> {
    if (edits.length === 0) return undefined;
    const { text, xml } = await readFile(scope);
    const next = editHadoopXml(text, xml, edits);
    if (next === text) return undefined;
    const bytes = Buffer.from(next);
    await readHadoopXml(decodeXml(bytes, places[scope].label, limits.maxBytes), places[scope].label, limits);
    return next;
  }

  async function apply(edits: SiteEdits): Promise<void> {
    const global = await edited('GLOBAL', edits.GLOBAL);
    const local = await edited('LOCAL', edits.LOCAL);
    const isOverTwo = global !== undefined && local !== undefined;
    if (isOverTwo) await write(places.journal, JSON.stringify(edits));
    if (global !== undefined) await write(places.GLOBAL, global);
    if (local !== undefined) await write(places.LOCAL, local);
    if (isOverTwo) await places.journal.remove();
  }

  /** Changes are by name, so those that were made already do no harm, nor do a person's since then. */
  async function finish(): Promise<void> {
    const bytes = await places.journal.read();
    if (!bytes) return;
    const edits = readJournal(bytes, places.journal.label);
    await apply(edits);
    await places.journal.remove();
  }

  return {
    load: () =>
      alone(async () => {
        await finish();
        return layers();
      }),
    edit: (edits) =>
      alone(async () => {
        await finish();
        await apply(await edits(await layers()));
        return layers();
      }),
  };
}

async function write(place: SitePlace, text: string): Promise<void> {
  try {
    await place.write(text);
  } catch (error) {
    throw error instanceof GatewayError
      ? error
      : new StorageFailed('A site file can not be written; nothing was changed', error);
  }
}

function readJournal(bytes: Buffer, label: string): SiteEdits {
  try {
    const { GLOBAL, LOCAL } = Journal.parse(JSON.parse(bytes.toString('utf8')));
    return { GLOBAL: GLOBAL.map(editOf), LOCAL: LOCAL.map(editOf) };
  } catch (error) {
    throw new BrokenSiteFile(
      `${label} is damaged; remove it when the site files are as you want them`,
      error,
    );
  }
}

function editOf({ name, set }: z.output<typeof Edit>): PropertyEdit {
  if (!set) return { name };
  const { value, description } = set;
  return { name, set: { value, ...(description === undefined ? {} : { description }) } };
}

function entriesOf(file: ReadFile | undefined): ReadonlyMap<string, SiteEntry> {
  const entries = new Map<string, SiteEntry>();
  for (const { name, value, description, isFinal } of file?.xml.properties ?? []) {
    if (!value) continue;
    entries.set(name, { name, text: value, ...(description ? { description } : {}), isFinal });
  }
  return entries;
}
