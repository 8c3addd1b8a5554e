import type { Logger } from '../../interfaces/logger.js';
import type { Sealing } from '../../storage/sealing.js';
import { isForLaunch, knownProperties, knownProperty } from './known.js';
import { type EffectiveProperties, effectiveProperties, type SetProperty } from './layers.js';
import type { Site, SiteLayers, SiteScope } from './site.js';
import { BrokenSiteFile } from './site-errors.js';

/** What the site says of properties, and since when each of them counts: at once, since the restart, or since the start. */
export interface PropertiesInForce {
  /** What was read or written last, by name, whether it counts already or not. */
  newest(): ReadonlyMap<string, SetProperty>;
  /** What counts of a property: the newest, unless it waits. `undefined` for one that nothing sets, or only wrongly. */
  value(name: string): string | undefined;
  /** After a change through the API. */
  replace(layers: SiteLayers): Promise<void>;
  /** At the start and each restart: what waits for it counts from now on. Rejects with `BrokenSiteFile` at the first. */
  load(): Promise<void>;
  /** Names of properties whose newest value waits for a restart in place, or for the next start of the host. */
  waiting(what: 'restart' | 'start'): readonly string[];
  /** What the files say, for launches: without secrets, and without what concerns the gateway alone. */
  forLaunch(scope: SiteScope): readonly { readonly name: string; readonly value: string }[];
  /** What can't be read, in sentences. */
  problems(): readonly string[];
}

export function createPropertiesInForce(
  site: Pick<Site, 'load'>,
  sealing: Sealing,
  logger: Logger,
): PropertiesInForce {
  let present: EffectiveProperties | undefined;
  let atRestart: EffectiveProperties | undefined;
  let atStart: EffectiveProperties | undefined;
  let broken: string | undefined;

  const newest = () => present?.byName ?? new Map<string, SetProperty>();

  function inForce(name: string): string | undefined {
    const since = knownProperty(name)?.inForce;
    const counts = since === 'start' ? atStart : since === 'restart' ? atRestart : present;
    return counts?.byName.get(name)?.value;
  }

  return {
    newest,

    value(name) {
      const value = inForce(name);
      return value !== undefined && problemOf(name, value) === undefined ? value : undefined;
    },

    async replace(layers) {
      broken = undefined;
      present = await effectiveProperties(layers, sealing);
    },

    async load() {
      try {
        present = await effectiveProperties(await site.load(), sealing);
        broken = undefined;
      } catch (error) {
        if (!present) throw error;
        broken = error instanceof BrokenSiteFile ? error.message : 'The site files can not be read';
        logger.error(
          { event: 'properties.site_files_unreadable', err: error },
          'the site files can not be read: they count as they were read last',
        );
      }
      atRestart = present;
      atStart ??= present;
    },

    waiting(what) {
      const names = Object.keys(knownProperties).filter(
        (name) => inForce(name) !== newest().get(name)?.value,
      );
      return names.filter((name) => (knownProperty(name)?.inForce === 'start') === (what === 'start'));
    },

    forLaunch: (scope) =>
      [...(present?.byScope[scope] ?? [])].flatMap(([name, { value }]) =>
        value !== undefined && isForLaunch(name) ? [{ name, value }] : [],
      ),

    problems: () => [
      ...(broken === undefined ? [] : [broken]),
      ...(present?.unreadable ?? []).map(
        (name) => `The value of ${name} was sealed with another key: enter it again`,
      ),
      ...Object.keys(knownProperties).flatMap((name) => {
        const found = newest().get(name);
        const problem = problemOf(name, found?.value);
        return found && problem
          ? [`In the ${found.scope} file ${name} ${problem}: it counts as if it were not there`]
          : [];
      }),
    ],
  };
}

/** Of files that people edit: a value may have any form. */
const problemOf = (name: string, value: string | undefined) =>
  value === undefined ? undefined : knownProperty(name)?.problem?.(value);
