import { resolveVariables, type VariableSource } from '../definition/variables.js';
import type { Resolve } from '../kinds/kind.js';
import type { Supervisor } from './supervisor.js';
import type { Supervisors } from './supervisors.js';

/** Fills in variables with what services and the gateway tell at that moment. */
export function createResolver(deps: {
  readonly supervisors: () => Pick<Supervisors, 'get'>;
  /** Of the platform's configuration; `undefined` when it is not set. Never a secret. */
  readonly property: (name: string) => Promise<string | undefined>;
  /** What a host gives comes before properties. */
  readonly given: Readonly<Record<string, string>>;
}): (service: string) => Resolve {
  const told = (service: string, key: string) => {
    const supervisor = deps.supervisors().get(service);
    return supervisor && metadataOf(supervisor, key);
  };
  const sourceFor = (service: string): VariableSource => ({
    own: (key) => told(service, key),
    ofService: told,
    ofGateway: async (key) => {
      const given = ownOf(deps.given, key);
      if (given !== undefined) return given;
      if (key === 'GATEWAY_ADMIN_USER') return 'admin';
      return deps.property(key === 'GATEWAY_CONNECT_ADDRESS' ? `platform.attr.${key}` : key);
    },
  });
  return (service) => (text) => resolveVariables(text, sourceFor(service));
}

/** What runs may tell more than the definition did, and newer. */
function metadataOf({ stored, life }: Supervisor, key: string): string | undefined {
  const { definition, state } = stored;
  if (key === '_type') return definition.type;
  if (key === '_state') return state;
  return ownOf(life?.metadata ?? {}, key) ?? ownOf(definition.metadata, key);
}

/** Names of every object, such as `constructor`, are no values. */
const ownOf = (values: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;
