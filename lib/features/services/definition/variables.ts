import { BadRequest } from '../../../model/errors.js';

/** Where the values come from (`docs/decisions.md`, Variables of services). `undefined`: there is no such value now. */
export interface VariableSource {
  /** Metadata of the service itself. */
  own(key: string): string | undefined;
  /** Of another service; `_type` and `_state` are there for every one. */
  ofService(service: string, key: string): string | undefined;
  /** `${.name}`: of the gateway, or a property of the platform. */
  ofGateway(name: string): Promise<string | undefined>;
}

/** Some variables have no value, at least not yet. */
export class ValueMissing extends BadRequest {
  /** As they stand between the braces. */
  readonly variables: readonly string[];

  constructor(variables: readonly string[]) {
    super('VALUE_MISSING', `${variables.map((name) => `\${${name}}`).join(' and ')} has no value`);
    this.variables = variables;
  }
}

const variable = /\$\{([^{}]*)\}/g;

/** Names in the text, each once: `port`, `search.port`, `.GATEWAY_CONNECT_ADDRESS`. */
export const variablesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name = '']) => name.trim())),
];

/** With this in the place of each. */
export const withVariables = (text: string, value: string): string => text.replace(variable, () => value);

/** Rejects with `ValueMissing` naming the variables that have no value: never an empty string in their place. */
export async function resolveVariables(text: string, source: VariableSource): Promise<string> {
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const name of variablesIn(text)) {
    const value = await lookUp(name, source);
    if (value === undefined) missing.push(name);
    else values.set(name, value);
  }
  if (missing.length > 0) throw new ValueMissing(missing);
  // In one go: a value that looks like a variable is text.
  return text.replace(variable, (_, name: string) => values.get(name.trim()) ?? '');
}

/** Names of services may hold dots, so may keys of metadata: every place where the service's name may end is tried. */
async function lookUp(name: string, source: VariableSource): Promise<string | undefined> {
  if (name.startsWith('.')) return source.ofGateway(name.slice(1));
  const own = source.own(name);
  if (own !== undefined) return own;
  for (const [service, key] of readings(name)) {
    const value = source.ofService(service, key);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Services that the variable may be about. */
export const servicesIn = (name: string): readonly string[] => readings(name).map(([service]) => service);

function readings(name: string): readonly (readonly [service: string, key: string])[] {
  const found: [string, string][] = [];
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1))
    found.push([name.slice(0, dot), name.slice(dot + 1)]);
  return found;
}
