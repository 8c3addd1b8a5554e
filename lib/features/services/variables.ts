import { BadRequest } from '../../core/errors.js';

/** Where the values of variables come from (`resolved-gaps.md` 4.7). `undefined`: there is no such value now. */
export interface VariableSource {
  /** Metadata of the service itself. */
  own(key: string): string | undefined;
  /** Of another service; `_type` and `_state` are there for every one. */
  ofService(service: string, key: string): string | undefined;
  /** `${.name}`: of the gateway, or a property of the platform. */
  ofGateway(name: string): Promise<string | undefined>;
}

const variable = /\$\{([^{}]*)\}/g;

/** Names in the text, each once: `port`, `search.port`, `.GATEWAY_CONNECT_ADDRESS`. */
export const variablesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name = '']) => name.trim())),
];

/** Rejects with `BadRequest` naming the variables that have no value: never an empty string in their place. */
export async function resolveVariables(text: string, source: VariableSource): Promise<string> {
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const name of variablesIn(text)) {
    const value = await lookUp(name, source);
    if (value === undefined) missing.push(`\${${name}}`);
    else values.set(name, value);
  }
  if (missing.length > 0) throw new BadRequest(`${missing.join(' and ')} has no value`);
  // In one go: a value that looks like a variable is text.
  return text.replace(variable, (_, name: string) => values.get(name.trim()) ?? '');
}

/** Names of services may hold dots, so may keys of metadata: every place where the service's name may end is tried. */
async function lookUp(name: string, source: VariableSource): Promise<string | undefined> {
  if (name.startsWith('.')) return source.ofGateway(name.slice(1));
  const own = source.own(name);
  if (own !== undefined) return own;
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const value = source.ofService(name.slice(0, dot), name.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}
