import type { HadoopConfiguration } from '../../formats/hadoop-xml.js';
import type { StorageFailed } from '../../model/errors.js';
import { createMutex } from '../../runtime/mutex.js';
import { createSiteChanges } from './site-changes.js';
import { readSiteFile } from './site-file.js';
import { type SiteEdits, siteJournal } from './site-journal.js';
import type { SitePlace } from './site-place.js';

export type SiteScope = keyof SiteEdits | 'USER';
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

export function createSite(places: SitePlaces): Site {
  const mutex = createMutex();
  const changes = createSiteChanges(places, siteJournal(places.journal));

  async function layers(): Promise<SiteLayers> {
    const [GLOBAL, LOCAL, USER] = await Promise.all([
      entriesAt(places.GLOBAL),
      entriesAt(places.LOCAL),
      places.USER ? entriesAt(places.USER) : new Map<string, SiteEntry>(),
    ]);
    return { GLOBAL, LOCAL, USER };
  }

  return {
    load: () =>
      mutex(async () => {
        await changes.complete();
        return layers();
      }),
    edit: (edits) =>
      mutex(async () => {
        await changes.complete();
        const problem = await changes.apply(await edits(await layers()));
        return { layers: await layers(), problem };
      }),
  };
}

const entriesAt = async (place: Pick<SitePlace, 'label' | 'read'>) =>
  entriesOf((await readSiteFile(place)).xml);

function entriesOf({ properties }: HadoopConfiguration): ReadonlyMap<string, SiteEntry> {
  const entries = new Map<string, SiteEntry>();
  for (const { name, value, description, isFinal } of properties) {
    if (!value) continue;
    entries.set(name, { name, text: value, ...(description ? { description } : {}), isFinal });
  }
  return entries;
}
