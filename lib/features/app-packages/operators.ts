import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { JarReader } from '../../interfaces/jar-reader.js';
import type { PackageOperatorClass as KnownOperator, PackageProblem } from '../../interfaces/package.js';
import { NotFound } from '../../model/errors.js';
import type { JarContents } from '../../model/jar-contents.js';
import type { PropertyDescription } from '../../model/logical-plan.js';
import { classSchema, classSchemas, type JsonSchema } from './class-schemas.js';
import type { AppPackages } from './directory.js';
import { jarSource } from './jar-source.js';
import type { OpenPackage } from './open-package.js';
import { packageContent } from './package-content.js';
import type { OperatorFilter, PackageOperatorList, PackageOperatorView, PackageRef } from './schema.js';
import type { PackageStore } from './store.js';

/** Operator classes that packages bring along: in jars, and in files that only the cluster in use can read. */
export interface PackageOperatorService {
  operators(call: Call, ref: PackageRef, filter: OperatorFilter): Promise<PackageOperatorList>;
  /** With the properties of its properties. */
  operator(call: Call, ref: PackageRef, className: string): Promise<PackageOperatorView>;
  classSchemas(call: Call, ref: PackageRef): Promise<JsonSchema[]>;
  classSchema(call: Call, ref: PackageRef, name: string): Promise<JsonSchema>;
}

/** For what else looks at a package that is open. */
interface PackageClasses {
  /** By the names of the classes; those that the cluster's driver tells go before those of jars. */
  operators(pkg: OpenPackage, signal: AbortSignal): Promise<KnownOperators>;
  jars(pkg: OpenPackage): Promise<JarContents>;
}

interface KnownOperators {
  readonly classes: ReadonlyMap<string, KnownOperator>;
  readonly problems: readonly PackageProblem[];
}

export function createPackageClasses(deps: {
  store: Pick<PackageStore, 'jarContents' | 'keepJarContents'>;
  jars: JarReader;
  cluster: ClusterDriver;
}): PackageClasses {
  const { store, cluster } = deps;
  const reading = new Map<string, Promise<JarContents>>();

  /** Once for all who ask meanwhile: it goes on when the first one hangs up, so it has no signal. */
  async function read(pkg: OpenPackage): Promise<JarContents> {
    const contents = await deps.jars.read(
      jarSource(await pkg.own()),
      pkg.contents.manifest.classPath,
      new AbortController().signal,
    );
    return store.keepJarContents(pkg.stored, contents);
  }

  async function jars(pkg: OpenPackage): Promise<JarContents> {
    const { id } = pkg.stored;
    const kept = await store.jarContents(pkg.stored);
    if (kept) return kept;
    // Each waits for itself: whoever hangs up meanwhile takes nothing from the others.
    await pkg.own();
    const before = reading.get(id);
    if (before) return before;
    const now = read(pkg).finally(() => reading.delete(id));
    reading.set(id, now);
    return now;
  }

  return {
    jars,

    async operators(pkg, signal) {
      const reader = cluster.resourceManager.packageOperators;
      const told = await reader?.describe(await packageContent(pkg), { signal });
      const inJars = reader?.readsJars ? undefined : await jars(pkg);
      const classes = [...(inJars?.classes ?? []), ...(told?.classes ?? [])];
      return {
        classes: new Map(classes.map((operator) => [operator.name, operator])),
        problems: [...(told?.problems ?? []), ...(inJars?.problems ?? [])],
      };
    },
  };
}

/** How deep the properties of properties are told. */
const maxDepth = 3;

export function createPackageOperators(deps: {
  packages: AppPackages;
  classes: PackageClasses;
}): PackageOperatorService {
  const { packages, classes } = deps;
  const inJars = (call: Call, ref: PackageRef) => packages.reading(call, ref, classes.jars);

  return {
    operators: (call, ref, { parent, q }) =>
      packages.reading(call, ref, async (pkg) => {
        const { classes: all, problems } = await classes.operators(pkg, call.signal);
        const known = [...all.values()];
        const { operatorTypes, classes: ofJars } = await classes.jars(pkg);
        const below = new Set(
          ofJars.filter(({ ancestors }) => ancestors.includes(parent ?? '')).map(({ name }) => name),
        );
        const isKnown = known.some(({ name }) => name === parent) || operatorTypes.includes(parent ?? '');
        if (parent !== undefined && !isKnown) throw new NotFound('operator class', parent);
        const operatorClasses = known
          .filter(({ name }) => parent === undefined || name === parent || below.has(name))
          .filter((operator) => q === undefined || mentions(operator, q.toLowerCase()))
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map(told);
        return problems.length === 0 ? { operatorClasses } : { operatorClasses, problems: [...problems] };
      }),

    operator: (call, ref, className) =>
      packages.reading(call, ref, async (pkg) => {
        const found = (await classes.operators(pkg, call.signal)).classes.get(className);
        if (!found) throw new NotFound('operator class', className);
        const { types } = await classes.jars(pkg);
        return { ...told(found), properties: found.properties.map((property) => nested(property, types, 1)) };
      }),

    classSchemas: async (call, ref) => classSchemas(await inJars(call, ref)),

    async classSchema(call, ref, name) {
      const schema = classSchema(name, (await inJars(call, ref)).types);
      if (!schema) throw new NotFound('class of properties', name);
      return schema;
    },
  };
}

/** What the search looks into (engine: `OperatorDiscoverer`). */
function mentions(operator: KnownOperator, term: string): boolean {
  const {
    name,
    title = '',
    shortDesc = '',
    longDesc = '',
    category = '',
    doclink = '',
    tags = [],
  } = operator;
  return [name, title, shortDesc, longDesc, category, doclink, ...tags].some((text) =>
    text.toLowerCase().includes(term),
  );
}

/** What the wire shows of it. */
function told(operator: KnownOperator): PackageOperatorView {
  const { name, title, shortDesc, longDesc, category, doclink, tags, defaultValue } = operator;
  const { inputPorts, outputPorts, properties } = operator;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(shortDesc === undefined ? {} : { shortDesc }),
    ...(longDesc === undefined ? {} : { longDesc }),
    ...(category === undefined ? {} : { category }),
    ...(doclink === undefined ? {} : { doclink }),
    ...(tags === undefined ? {} : { tags: [...tags] }),
    inputPorts,
    outputPorts,
    properties,
    ...(defaultValue === undefined ? {} : { defaultValue: { ...defaultValue } }),
  };
}

function nested(
  property: PropertyDescription,
  types: JarContents['types'],
  depth: number,
): PropertyDescription {
  const type = Object.hasOwn(types, property.type) ? types[property.type] : undefined;
  if (type?.values) return { ...property, values: [...type.values] };
  if (!type || depth > maxDepth || type.properties.length === 0) return property;
  return { ...property, properties: type.properties.map((inner) => nested(inner, types, depth + 1)) };
}
