import { engineKey } from '../../definitions/property-keys.js';

/** One without a value has to be given by somebody. */
type Properties = readonly { readonly name: string; readonly value?: string }[];
type Values = Readonly<Record<string, string>>;

/** Where properties of a launch come from. What is absent sets nothing. */
export interface PropertySources {
  /** Given with the launch. */
  readonly launch?: Values;
  /** The configuration of the package that was chosen. */
  readonly config?: Properties;
  readonly configPackage?: { readonly application: Values; readonly all: Values };
  readonly userSite?: Properties;
  /** `META-INF/properties-{application}.xml`. */
  readonly application?: Properties;
  /** `META-INF/properties.xml`. */
  readonly package?: Properties;
  readonly localSite?: Properties;
  readonly globalSite?: Properties;
}

interface EffectiveProperty {
  /** As the source wrote it. */
  readonly name: string;
  readonly value: string;
  readonly source: keyof PropertySources;
}

export interface LaunchProperties {
  /** One for all keys that mean the same. */
  readonly effective: readonly EffectiveProperty[];
  /** Names of properties that somebody has to give, and nobody did; sorted. */
  readonly missing: readonly string[];
  /** As the package and its configuration package write them. */
  readonly spellings: readonly string[];
}

/**
 * The value of each property, by the strongest that sets it: `docs/decisions.md`, Who beats whom at a launch. The
 * application and its package name properties without a value: these are required, and only something stronger can
 * give them.
 */
export function launchProperties(sources: PropertySources): LaunchProperties {
  const effective = new Map<string, EffectiveProperty>();
  const missing = new Map<string, string>();
  for (const [source, properties] of fromWeakest(sources)) {
    for (const { name, value } of properties) {
      const key = engineKey(name);
      if (value !== undefined) {
        effective.set(key, { name, value, source });
        missing.delete(key);
      } else if (source === 'package' || source === 'application') missing.set(key, name);
    }
  }
  return {
    effective: [...effective.values()],
    missing: [...missing.values()].sort(),
    spellings: spellingsIn(sources),
  };
}

function spellingsIn(sources: PropertySources): string[] {
  const read = fromWeakest(sources).filter(([source]) => packed.includes(source));
  return [...new Set(read.flatMap(([, properties]) => properties.map(({ name }) => name)))];
}

/** What an engine that unpacks packages by itself reads once more. */
const packed: readonly (keyof PropertySources)[] = ['package', 'application', 'configPackage'];

function fromWeakest(
  sources: PropertySources,
): readonly (readonly [source: keyof PropertySources, properties: Properties])[] {
  const { launch, configPackage } = sources;
  return [
    ['globalSite', sources.globalSite ?? []],
    ['localSite', sources.localSite ?? []],
    ['package', sources.package ?? []],
    ['application', sources.application ?? []],
    ['userSite', sources.userSite ?? []],
    ['configPackage', [...listed(configPackage?.all), ...listed(configPackage?.application)]],
    ['config', sources.config ?? []],
    ['launch', listed(launch)],
  ];
}

const listed = (values: Values = {}): Properties =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** As a driver takes them: what was given with the launch, and what everything weaker says besides. */
export function forDriver({ effective, spellings }: LaunchProperties): {
  readonly properties: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
  readonly spellings: readonly string[];
} {
  const named = (isGiven: boolean) =>
    Object.fromEntries(
      effective.flatMap(({ name, value, source }) =>
        (source === 'launch') === isGiven ? [[name, value]] : [],
      ),
    );
  return { properties: named(true), defaults: named(false), spellings };
}
