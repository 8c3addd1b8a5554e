import * as z from 'zod';
import { issueSentences } from '../../../http/validate.js';
import { BadRequest } from '../../../model/errors.js';
import { Flag } from '../../../model/inputs.js';
import type { PackageServices } from '../../app-packages/schema.js';
import { allNeeded, circleIn, type Needs } from '../definition/dependency-graph.js';
import { NamedService } from '../schema.js';

/** How an application says what it needs: `docs/decisions.md`, Services that an application needs. */
const Requirement = z.looseObject({
  name: z.string(),
  requiredBeforeLaunch: Flag.default(false),
  transient: Flag.default(false),
});
type Requirement = z.output<typeof Requirement>;

/** Which services a launch needs, worked out before anything is done for it. */
export interface LaunchPlan {
  /** All of them; what is needed comes before what needs it. */
  readonly names: readonly string[];
  /** Those that run before the launch. */
  readonly early: readonly string[];
  /** Those that are started once the application is there. */
  readonly late: readonly string[];
  /** There is a package to install from: one that is missing, or is going, is installed anew. */
  readonly canInstall: boolean;
  /** Only requirements that say so need it: it goes with the last application that needs it. */
  isTransient(name: string): boolean;
  /** What the package says of it. Throws `BadRequest` when it says nothing. */
  definitionOf(name: string): NamedService;
}

/**
 * `present`: what the services that are there need. Throws `BadRequest` for a declaration that can't be read, and for
 * services that need each other in a circle.
 */
export function planFromPackage(
  appName: string,
  declared: PackageServices | undefined,
  present: Needs,
): LaunchPlan {
  const requirements = requirementsOf(declared, appName);
  // A mistake in a service that this application does not need is none of its launch.
  const defined = requirements.length === 0 ? noDefinitions : definitionsIn(declared, requirements);
  const needs = new Map([
    ...[...defined].map(([name, { requiredServices }]) => [name, requiredServices] as const),
    ...present,
  ]);
  const lasting = requirements.filter(({ transient }) => !transient);
  const kept = new Set(allNeeded(namesOf(lasting), needs));
  const early = namesOf(requirements.filter(({ requiredBeforeLaunch }) => requiredBeforeLaunch));
  return {
    names: inOrder(appName, namesOf(requirements), needs),
    early,
    late: namesOf(requirements).filter((name) => !early.includes(name)),
    canInstall: true,
    isTransient: (name) => !kept.has(name),
    definitionOf: (name) => defined.get(name) ?? missing(appName, name),
  };
}

/** Nothing is declared any more: these are needed, and nothing comes in the place of what goes. */
export function planWithoutPackage(appName: string, names: readonly string[], present: Needs): LaunchPlan {
  return {
    names: inOrder(appName, names, present),
    early: [],
    late: names,
    canInstall: false,
    isTransient: () => false,
    definitionOf: (name) => missing(appName, name),
  };
}

const noDefinitions: ReadonlyMap<string, NamedService> = new Map();

const namesOf = (requirements: readonly Requirement[]) => requirements.map(({ name }) => name);

function inOrder(appName: string, required: readonly string[], needs: Needs): readonly string[] {
  const names = allNeeded(required, needs);
  const circle = circleIn(new Map(names.map((name) => [name, needs.get(name) ?? []])));
  if (!circle) return names;
  throw new BadRequest(
    'SERVICE_CIRCLE',
    `Services of ${appName} go round in a circle: ${circle.join(' needs ')}`,
  );
}

function requirementsOf(declared: PackageServices | undefined, appName: string): readonly Requirement[] {
  const found = declared?.applications.find(({ name }) => name === appName)?.requiredServices ?? [];
  return found.map((entry) => {
    const read = Requirement.safeParse(entry);
    if (read.success) return read.data;
    throw badDeclaration(entry.name, read.error);
  });
}

/** An application may say more of a service than the list of services does. */
function definitionsIn(
  declared: PackageServices | undefined,
  requirements: readonly Requirement[],
): ReadonlyMap<string, NamedService> {
  const entries = new Map<string, Record<string, unknown>>();
  for (const service of declared?.services ?? []) entries.set(service.name, service);
  for (const { requiredBeforeLaunch: _, transient: __, ...more } of requirements) {
    const before = entries.get(more.name);
    if (before || Object.keys(more).length > 1) entries.set(more.name, { ...before, ...more });
  }
  return new Map(
    [...entries].map(([name, entry]) => {
      const read = NamedService.safeParse(entry, issueSentences);
      if (read.success) return [name, read.data];
      throw badDeclaration(name, read.error);
    }),
  );
}

function missing(appName: string, name: string): never {
  throw new BadRequest(
    'SERVICE_MISSING',
    `${appName} needs the service ${name}: it is not installed, and resources/services.json of the package does not define it`,
  );
}

const badDeclaration = (name: string, error: z.ZodError) =>
  new BadRequest(
    'PACKAGE_FILE_NOT_VALID',
    `resources/services.json: the service ${name} can't be used: ${error.issues
      .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
      .join('; ')}`,
  );
