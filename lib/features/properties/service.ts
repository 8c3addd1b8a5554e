import { join } from 'node:path';
import { BrokenSiteFile, NotFound } from '../../core/errors.js';
import { createListeners } from '../../core/listeners.js';
import type { Sealing } from '../../core/sealing.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { editsOf, mask, type WantedChange } from './changes.js';
import { isForLaunch, isSecretProperty, knownProperties, knownProperty } from './known.js';
import { type EffectiveProperties, effectiveProperties, type SetProperty, sealedText } from './layers.js';
import type { ConfigProperties, ConfigProperty, NamedProperty, PropertyInput } from './schema.js';
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
  get(name: string): ConfigProperty;
  put(name: string, input: PropertyInput): Promise<void>;
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
   * At each start: reads what people have edited, and what waits for a restart is in force. Rejects with
   * `BrokenSiteFile` at the first; later the files count as they were read last, and `problem` tells.
   */
  takeEffect(): Promise<void>;
  /** Names of properties that something else is in force of. */
  waitingForRestart(): readonly string[];
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
  /** Said by the gateway or its host: TRANSIENT. */
  fixed: Readonly<Record<string, string>>;
}): PropertyService {
  const { sealing, logger, fixed } = deps;
  const site = createSite(placesOf(deps.options ?? {}, deps.documents));
  const listeners = createListeners<[]>((err) => {
    logger.error({ err }, 'a new value of a property can not take effect');
  });
  let present: EffectiveProperties | undefined;
  let atStart: EffectiveProperties | undefined;
  let broken: string | undefined;

  const now = () => present?.byName ?? new Map<string, SetProperty>();
  const newest = (name: string) => now().get(name)?.value ?? knownProperty(name)?.default;
  const shown = (name: string, property: Pick<SetProperty, 'value' | 'description'>): ConfigProperty => ({
    value: isSecretProperty(name) ? mask : (property.value ?? mask),
    description: property.description ?? knownProperty(name)?.meaning ?? '',
  });

  function listed(name: string): Required<ConfigProperty> | undefined {
    const said = fixed[name];
    if (said !== undefined) return { ...shown(name, { value: said }), scope: 'TRANSIENT' };
    const found = now().get(name);
    if (knownProperty(name)?.isShownTransient) {
      return { ...shown(name, { ...found, value: newest(name) ?? '' }), scope: 'TRANSIENT' };
    }
    return found && { ...shown(name, found), scope: found.scope };
  }

  async function change(changes: readonly WantedChange[]): Promise<void> {
    const layers = await site.edit(async (layers) => {
      const { byName } = await effectiveProperties(layers, sealing);
      for (const { name, set } of changes) if (!set && !byName.has(name)) requireKnown(name);
      return sealed(editsOf(changes, { byName, fixed }), sealing);
    });
    broken = undefined;
    present = await effectiveProperties(layers, sealing);
    listeners.tell();
  }

  function requireKnown(name: string): void {
    if (listed(name)?.scope !== 'TRANSIENT') throw new NotFound('property', name);
  }

  return {
    list() {
      const names = new Set([...Object.keys(fixed), ...now().keys(), ...Object.keys(knownProperties)]);
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

    put: (name, input) => change([{ at: 'body.value', name, set: input }]),
    post: (properties) =>
      change(properties.map(({ name, ...set }, i) => ({ at: `body.properties.${i}`, name, set }))),
    remove: (name) => change([{ at: 'params.PROPERTY_NAME', name }]),

    value(name) {
      if (Object.hasOwn(fixed, name)) return fixed[name];
      const isAtStart = knownProperty(name)?.inForce === 'restart';
      return isAtStart ? (atStart?.byName.get(name)?.value ?? knownProperty(name)?.default) : newest(name);
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
        logger.error({ err: error }, 'the site files can not be read: they count as they were read last');
      }
      atStart = present;
      listeners.tell();
    },

    waitingForRestart: () =>
      Object.keys(knownProperties).filter(
        (name) =>
          knownProperty(name)?.inForce === 'restart' &&
          atStart?.byName.get(name)?.value !== now().get(name)?.value,
      ),

    problems: () => [
      ...(broken === undefined ? [] : [broken]),
      ...(present?.unreadable ?? []).map(
        (name) => `The value of ${name} was sealed with another key: enter it again`,
      ),
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
