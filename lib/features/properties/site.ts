import { z } from 'zod';
import { decodeXml, type HadoopConfiguration, readHadoopXml } from '../../formats/hadoop-xml.js';
import { editHadoopXml, emptyConfiguration, type PropertyEdit } from '../../formats/hadoop-xml-edit.js';
import { GatewayError, NotReady, StorageFailed } from '../../model/errors.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { BrokenSiteFile } from './site-errors.js';
import type { SitePlace } from './site-place.js';

type WritableScope = 'GLOBAL' | 'LOCAL';
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
  edit(edits: (layers: SiteLayers) => Promise<SiteEdits> | SiteEdits): Promise<SiteChange>;
}

interface SiteChange {
  readonly layers: SiteLayers;
  /** The change is made, and who makes it must hear this. */
  readonly problem: StorageFailed | undefined;
}

/** Room for some thousand properties with descriptions. */
const limits = { maxBytes: 1024 * 1024, maxDepth: 16, maxElements: 20_000 };

const Edit = z.object({
  name: z.string(),
  set: z.object({ value: z.string(), description: z.string().optional() }).optional(),
});
const Journal = z.object({ GLOBAL: z.array(Edit), LOCAL: z.array(Edit) });

interface ReadFile {
  readonly isThere: boolean;
  readonly text: string;
  readonly xml: HadoopConfiguration;
}

/** What one file is to say. */
interface Rewrite {
  readonly place: SitePlace;
  /** `undefined`: there was no such file. */
  readonly before: string | undefined;
  readonly next: string;
}

export function createSite(places: SitePlaces): Site {
  const inTurn = keyedMutex();
  const alone = <T>(work: () => Promise<T>) => inTurn('site', work);

  async function readFile(scope: SiteScope): Promise<ReadFile> {
    const place = places[scope];
    const label = place?.label ?? '';
    try {
      const bytes = await place?.read();
      const text = bytes ? decodeXml(bytes, label, limits.maxBytes) : emptyConfiguration;
      return { isThere: bytes !== undefined, text, xml: await readHadoopXml(text, label, limits) };
    } catch (error) {
      if (error instanceof NotReady) throw error;
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
  async function rewriteOf(
    scope: WritableScope,
    edits: readonly PropertyEdit[],
  ): Promise<Rewrite | undefined> {
    if (edits.length === 0) return undefined;
    const place = places[scope];
    const { text, xml, isThere } = await readFile(scope);
    const next = editHadoopXml(text, xml, edits);
    if (next === text) return undefined;
    await readHadoopXml(decodeXml(Buffer.from(next), place.label, limits.maxBytes), place.label, limits);
    return { place, before: isThere ? text : undefined, next };
  }

  async function apply(edits: SiteEdits): Promise<StorageFailed | undefined> {
    const global = await rewriteOf('GLOBAL', edits.GLOBAL);
    const local = await rewriteOf('LOCAL', edits.LOCAL);
    if (global && local) return applyBoth(edits, [global, local]);
    const single = global ?? local;
    if (!single) return undefined;
    try {
      await single.place.write(single.next);
      return undefined;
    } catch (error) {
      if (error instanceof NotReady) throw error;
      if (await putBack([single])) throw unchanged(error);
      throw new StorageFailed(`${single.place.label} can not be written: look whether it was changed`, error);
    }
  }

  async function applyBoth(
    edits: SiteEdits,
    rewrites: readonly Rewrite[],
  ): Promise<StorageFailed | undefined> {
    const { journal } = places;
    try {
      await journal.write(JSON.stringify(edits));
    } catch (error) {
      if (error instanceof NotReady) throw error;
      // It may be there all the same.
      throw (await done(journal.remove())) ? unchanged(error) : new StorageFailed(mayBeMadeLater, error);
    }
    try {
      for (const { place, next } of rewrites) await place.write(next);
    } catch (error) {
      // The journal goes last: until then a crash completes the change.
      const isBack = (await putBack(rewrites)) && (await done(journal.remove()));
      throw isBack ? unchanged(error) : new StorageFailed(isCompletedLater, error);
    }
    return journal.remove().then(
      () => undefined,
      (cause: unknown) => {
        const made = `The change is made, but ${journal.label} can not be removed: remove it before you edit`;
        return new StorageFailed(`${made} these files, or it is made again over what you write`, cause);
      },
    );
  }

  /** Changes are by name: made twice they do no harm, and what a person wrote since is lost under the same names only. */
  async function finish(): Promise<void> {
    const bytes = await places.journal.read();
    if (!bytes) return;
    const edits = readJournal(bytes, places.journal.label);
    for (const scope of ['GLOBAL', 'LOCAL'] as const) {
      const rewrite = await rewriteOf(scope, edits[scope]);
      if (rewrite) await rewrite.place.write(rewrite.next).catch(stillPending);
    }
    await places.journal.remove().catch(stillPending);
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
        const problem = await apply(await edits(await layers()));
        return { layers: await layers(), problem };
      }),
  };
}

/** Whether all places hold again what they held. */
async function putBack(rewrites: readonly Rewrite[]): Promise<boolean> {
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

const done = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const unchanged = (cause: unknown): StorageFailed =>
  new StorageFailed('A site file can not be written; nothing was changed', cause);
const mayBeMadeLater =
  'A site file can not be written: nothing was changed, but the change may be made at the next one, or at the next start';
const isCompletedLater =
  'A site file can not be written: the change is made in part, and is completed at the next one, or at the next start';

function stillPending(cause: unknown): never {
  throw new StorageFailed(
    'A change of the properties was interrupted, and can not be completed: a site file can not be written',
    cause,
  );
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
