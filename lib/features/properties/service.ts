import { join } from 'node:path';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { NotFound } from '../../model/errors.js';
import { createListeners } from '../../runtime/listeners.js';
import type { Sealing } from '../../storage/sealing.js';
import { editsOf, type WantedChange } from './changes.js';
import { createPropertiesInForce, type PropertiesInForce } from './in-force.js';
import { isSecretProperty, knownProperties, knownProperty } from './known.js';
import { effectiveProperties, sealedText } from './layers.js';
import {
  fixedValue,
  isChange,
  listedProperties,
  listedProperty,
  type SaidProperties,
} from './listed-property.js';
import type { SiteOptions } from './options.js';
import type {
  ConfigProperties,
  ConfigPropertyInput,
  ConfigPropertyReply,
  KnownProperty,
  NamedProperty,
} from './schema.js';
import { createSite, type SitePlaces } from './site.js';
import type { SiteEdits } from './site-journal.js';
import { documentPlace, filePlace } from './site-place.js';

export interface PropertyService extends Pick<PropertiesInForce, 'forLaunch' | 'waiting' | 'problems'> {
  /** By name; secrets are masked. */
  list(): ConfigProperties;
  /** Those that the gateway itself reads, by name. */
  known(): KnownProperty[];
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

  const said = (): SaidProperties => ({ fixed: fixed(), byName: inForce.newest() });
  const listed = (name: string) => listedProperty(name, said());

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

  const set = (wanted: readonly Required<WantedChange>[]) =>
    change(wanted.filter((one) => isChange(one.set, listed(one.name))));

  function requireKnown(name: string): void {
    if (listed(name)?.scope !== 'TRANSIENT') throw new NotFound('property', name);
  }

  return {
    list: () => listedProperties(said()),

    known() {
      const waiting = new Set([...inForce.waiting('restart'), ...inForce.waiting('start')]);
      return Object.entries(knownProperties).map(([name, known]) => ({
        name,
        meaning: known.meaning,
        ...(known.default === undefined ? {} : { default: known.default }),
        inForce: known.inForce,
        isSecret: isSecretProperty(name),
        isLocal: known.isLocal ?? false,
        isWaiting: waiting.has(name),
      }));
    },

    get(name) {
      const found = listed(name);
      if (!found) throw new NotFound('property', name);
      const { scope, ...property } = found;
      return scope === 'LOCAL' ? found : property;
    },

    put: (name, input) => set([{ at: 'body.value', name, set: input }]),
    post: (properties) =>
      set(properties.map(({ name, ...input }, i) => ({ at: `body.properties.${i}`, name, set: input }))),
    remove: (name) => change([{ at: 'params.PROPERTY_NAME', name }]),

    value: (name) => fixedValue(name, fixed()) ?? inForce.value(name) ?? knownProperty(name)?.default,
    forLaunch: inForce.forLaunch,
    waiting: inForce.waiting,
    problems: inForce.problems,
    onChange: listeners.add,

    async takeEffect() {
      await inForce.load();
      listeners.tell();
    },

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
