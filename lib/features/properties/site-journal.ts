import * as z from 'zod';
import type { PropertyEdit } from '../../formats/hadoop-xml-edit.js';
import { BrokenSiteFile } from './site-errors.js';
import type { SitePlace } from './site-place.js';

/** What each of the two files is to say that are written here. */
export type SiteEdits = Readonly<Record<'GLOBAL' | 'LOCAL', readonly PropertyEdit[]>>;

/** A change over two files that has been begun: until it is removed, a crash completes the change. */
export interface SiteJournal {
  readonly label: string;
  begin(edits: SiteEdits): Promise<void>;
  /** `undefined` when there is none. Rejects with `BrokenSiteFile` for one that can't be read. */
  pending(): Promise<SiteEdits | undefined>;
  remove(): Promise<void>;
}

const Edit = z.object({
  name: z.string(),
  set: z.object({ value: z.string(), description: z.string().exactOptional() }).exactOptional(),
});
const Journal = z.object({ GLOBAL: z.array(Edit), LOCAL: z.array(Edit) });

export function siteJournal(place: SitePlace): SiteJournal {
  const { label } = place;
  return {
    label,
    begin: (edits) => place.write(JSON.stringify(edits)),
    remove: () => place.remove(),

    async pending() {
      const bytes = await place.read();
      if (!bytes) return undefined;
      try {
        return Journal.parse(JSON.parse(bytes.toString('utf8')));
      } catch (error) {
        throw new BrokenSiteFile(
          `${label} is damaged; remove it when the site files are as you want them`,
          error,
        );
      }
    },
  };
}
