import { join } from 'node:path';
import { mask } from '../../formats/secret-names.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { NotFound } from '../../model/errors.js';
import { createListeners } from '../../runtime/listeners.js';
import type { Sealing } from '../../storage/sealing.js';
import { editsOf, type WantedChange } from './changes.js';
import { createPropertiesInForce, type PropertiesInForce } from './in-force.js';
import { isSecretProperty, knownProperties, knownProperty } from './known.js';
import { effectiveProperties, type SetProperty, sealedText } from './layers.js';
import type { ConfigProperties, ConfigPropertyInput, ConfigPropertyReply, NamedProperty } from './schema.js';
import { createSite, type SiteEdits, type SitePlaces } from './site.js';
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

export interface PropertyService extends Pick<PropertiesInForce, 'forLaunch' | 'waiting' | 'problems'> {
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
  /** Called after changes through the API and at restarts; returns the function that ends it. */
  onChange(listener: () => void): () => void;
  /**
   * At the start and each restart: reads what people have edited, and what waits for it is in force. Rejects with
   * `BrokenSiteFile` at the first; later the files count as they were read last, and `problem` tells.
   */
  takeEffect(): Promise<void>;
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
  const inForce = createPropertiesInForce(site, sealing, logger);

  const fixedOne = (name: string): string | undefined => {
    const all = fixed();
    return Object.hasOwn(all, name) ? all[name] : undefined;
  };
  function listed(name: string): Required<ConfigPropertyReply> | undefined {
    const said = fixedOne(name);
    if (said !== undefined) return { ...shown(name, { value: said }), scope: 'TRANSIENT' };
    const found = inForce.newest().get(name);
    if (knownProperty(name)?.isShownTransient) {
      return {
        ...shown(name, { ...found, value: found?.value ?? knownProperty(name)?.default ?? '' }),
        scope: 'TRANSIENT',
      };
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
    await inForce.replace(layers);
    listeners.tell();
    if (problem) throw problem;
  }

  function requireKnown(name: string): void {
    if (listed(name)?.scope !== 'TRANSIENT') throw new NotFound('property', name);
  }

  return {
    list() {
      const names = new Set([
        ...Object.keys(fixed()),
        ...inForce.newest().keys(),
        ...Object.keys(knownProperties),
      ]);
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
      return inForce.value(name) ?? knownProperty(name)?.default;
    },

    forLaunch: inForce.forLaunch,

    onChange: listeners.add,

    async takeEffect() {
      await inForce.load();
      listeners.tell();
    },

    waiting: inForce.waiting,
    problems: inForce.problems,

    directory: deps.options?.directory,
  };
}

function shown(name: string, property: Pick<SetProperty, 'value' | 'description'>): ConfigPropertyReply {
  return {
    value: isSecretProperty(name) ? mask : (property.value ?? mask),
    description: property.description ?? knownProperty(name)?.meaning ?? '',
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
