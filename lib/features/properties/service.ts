import { join } from 'node:path';
import { mask } from '../../formats/secret-names.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { BrokenSiteFile, NotFound } from '../../model/errors.js';
import { createListeners } from '../../runtime/listeners.js';
import type { Sealing } from '../../storage/sealing.js';
import { editsOf, type WantedChange } from './changes.js';
import { isForLaunch, isSecretProperty, knownProperties, knownProperty } from './known.js';
import { type EffectiveProperties, effectiveProperties, type SetProperty, sealedText } from './layers.js';
import type { ConfigProperties, ConfigPropertyInput, ConfigPropertyReply, NamedProperty } from './schema.js';
import { createSite, type SiteEdits, type SitePlaces, type SiteScope } from './site.js';
import { documentPlace, filePlace } from './site-place.js';

/** Where the configuration of the platform is kept in files that a person may edit. */
export interface SiteOptions {
  /**
   * Folder of `platform-site.xml` (scope GLOBAL) and `platform-site.local.xml` (LOCAL), made at the first change. Default:
   * none, the properties are kept in the storage.
   */
  readonly directory?: string;
  /** The service account's own file (USER): read, and never written. Default: none. */
  readonly userFile?: string;
}

export interface PropertyService {
  /** By name; secrets are masked. */
  list(): ConfigProperties;
  /** Rejects with `NotFound`. */
  get(name: string): ConfigPropertyReply;
  put(name: string, input: ConfigPropertyInput): Promise<void>;
  /** All or none. */
  post(properties: readonly NamedProperty[]): Promise<void>;
  /** Rejects with `NotFound`. */
  remove(name: string): Promise<void>;
  /** What is in force at this moment, unmasked: for rooms and drivers, never for clients. */
  value(name: string): string | undefined;
  /** What the files say, for launches: without secrets, and without what concerns the gateway alone. */
  forLaunch(scope: SiteScope): readonly { readonly name: string; readonly value: string }[];
  /** Called after changes through the API and at restarts; returns the function that ends it. */
  onChange(listener: () => void): () => void;
  /**
   * At the start and each restart: reads what people have edited, and what waits for it is in force. Rejects with
   * `BrokenSiteFile` at the first; later the files count as they were read last, and `problem` tells.
   */
  takeEffect(): Promise<void>;
  /** Names of properties whose newest value waits for a restart in place, or for the next start of the host. */
  waiting(what: 'restart' | 'start'): readonly string[];
  /** What can't be read, in sentences. */
  problems(): readonly string[];
  /** Of the site files, as far as there are any. */
  readonly directory: string | undefined;
}

export function createPropertyService(deps: {
  documents: DocumentStore;
  sealing: Sealing;
  logger: Logger;
  options: SiteOptions | undefined;
  /** Said by the gateway or its host: TRANSIENT. The same names at each call. */
  fixed: () => Readonly<Record<string, string>>;
}): PropertyService {
  const { sealing, logger, fixed } = deps;
  const site = createSite(placesOf(deps.options ?? {}, deps.documents));
  const listeners = createListeners<[]>((err) => {
    logger.error({ event: 'properties.change_failed', err }, 'a new value of a property can not take effect');
  });
  let present: EffectiveProperties | undefined;
  let atRestart: EffectiveProperties | undefined;
  let atStart: EffectiveProperties | undefined;
  let broken: string | undefined;

  const now = () => present?.byName ?? new Map<string, SetProperty>();
  /** What counts of a property: the newest, unless it waits. */
  function inForce(name: string): string | undefined {
    const since = knownProperty(name)?.inForce;
    const counts = since === 'start' ? atStart : since === 'restart' ? atRestart : present;
    return counts?.byName.get(name)?.value;
  }
  const fixedOne = (name: string): string | undefined => {
    const all = fixed();
    return Object.hasOwn(all, name) ? all[name] : undefined;
  };
  const newest = (name: string) => now().get(name)?.value ?? knownProperty(name)?.default;
  /** Of files that people edit: a value may have any form. */
  const problemOf = (name: string, value: string | undefined) =>
    value === undefined ? undefined : knownProperty(name)?.problem?.(value);
  const shown = (
    name: string,
    property: Pick<SetProperty, 'value' | 'description'>,
  ): ConfigPropertyReply => ({
    value: isSecretProperty(name) ? mask : (property.value ?? mask),
    description: property.description ?? knownProperty(name)?.meaning ?? '',
  });

  function listed(name: string): Required<ConfigPropertyReply> | undefined {
    const said = fixedOne(name);
    if (said !== undefined) return { ...shown(name, { value: said }), scope: 'TRANSIENT' };
    const found = now().get(name);
    if (knownProperty(name)?.isShownTransient) {
      return { ...shown(name, { ...found, value: newest(name) ?? '' }), scope: 'TRANSIENT' };
    }
    return found && { ...shown(name, found), scope: found.scope };
  }

  /** Not when it is sent as it was read: then it stays where it is set, also where this API can't change it. */
  function isChange({ name, set }: { name: string; set: ConfigPropertyInput }): boolean {
    const there = listed(name);
    return (
      there === undefined ||
      set.value !== there.value ||
      (set.description !== undefined && set.description !== there.description) ||
      (set.scope !== undefined && set.scope !== there.scope) ||
      (set.local !== undefined && set.local !== (there.scope === 'LOCAL'))
    );
  }

  async function change(changes: readonly WantedChange[]): Promise<void> {
    if (changes.length === 0) return;
    const { layers, problem } = await site.edit(async (layers) => {
      const { byName } = await effectiveProperties(layers, sealing);
      for (const { name, set } of changes) if (!set && !byName.has(name)) requireKnown(name);
      return sealed(editsOf(changes, { byName, fixed: fixed() }), sealing);
    });
    broken = undefined;
    present = await effectiveProperties(layers, sealing);
    listeners.tell();
    if (problem) throw problem;
  }

  function requireKnown(name: string): void {
    if (listed(name)?.scope !== 'TRANSIENT') throw new NotFound('property', name);
  }

  return {
    list() {
      const names = new Set([...Object.keys(fixed()), ...now().keys(), ...Object.keys(knownProperties)]);
      const entries = [...names].sort().flatMap((name) => {
        const found = listed(name);
        return found ? [[name, found] as const] : [];
      });
      return Object.fromEntries(entries);
    },

    get(name) {
      const found = listed(name);
      if (!found) throw new NotFound('property', name);
      const { scope, ...property } = found;
      return scope === 'LOCAL' ? found : property;
    },

    put: (name, input) => change([{ at: 'body.value', name, set: input }].filter(isChange)),
    post: (properties) =>
      change(
        properties.map(({ name, ...set }, i) => ({ at: `body.properties.${i}`, name, set })).filter(isChange),
      ),
    remove: (name) => change([{ at: 'params.PROPERTY_NAME', name }]),

    value(name) {
      const said = fixedOne(name);
      if (said !== undefined) return said;
      const value = inForce(name);
      const isOfUse = value !== undefined && problemOf(name, value) === undefined;
      return isOfUse ? value : knownProperty(name)?.default;
    },

    forLaunch: (scope) =>
      [...(present?.byScope[scope] ?? [])].flatMap(([name, { value }]) =>
        value !== undefined && isForLaunch(name) ? [{ name, value }] : [],
      ),

    onChange: listeners.add,

    async takeEffect() {
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
      listeners.tell();
    },

    waiting(what) {
      const names = Object.keys(knownProperties).filter((name) => inForce(name) !== now().get(name)?.value);
      return names.filter((name) => (knownProperty(name)?.inForce === 'start') === (what === 'start'));
    },

    problems: () => [
      ...(broken === undefined ? [] : [broken]),
      ...(present?.unreadable ?? []).map(
        (name) => `The value of ${name} was sealed with another key: enter it again`,
      ),
      ...Object.keys(knownProperties).flatMap((name) => {
        const found = now().get(name);
        const problem = problemOf(name, found?.value);
        return found && problem
          ? [`In the ${found.scope} file ${name} ${problem}: it counts as if it were not there`]
          : [];
      }),
    ],

    directory: deps.options?.directory,
  };
}

async function sealed(edits: SiteEdits, sealing: Sealing): Promise<SiteEdits> {
  const each = (list: SiteEdits['GLOBAL']) =>
    Promise.all(
      list.map(async ({ name, set }) =>
        set ? { name, set: { ...set, value: await sealedText(sealing, name, set.value) } } : { name },
      ),
    );
  return { GLOBAL: await each(edits.GLOBAL), LOCAL: await each(edits.LOCAL) };
}

function placesOf({ directory, userFile }: SiteOptions, documents: DocumentStore): SitePlaces {
  const place = (file: string) =>
    directory === undefined ? documentPlace(documents, file) : filePlace(join(directory, file));
  return {
    GLOBAL: place('platform-site.xml'),
    LOCAL: place('platform-site.local.xml'),
    USER: userFile === undefined ? undefined : filePlace(userFile),
    journal: place('.platform-site.pending'),
  };
}
