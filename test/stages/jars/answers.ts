import { createHash } from 'node:crypto';
import type { JarOperatorClass } from '../../../lib/model/jar-contents.js';
import type { TypeDescription } from '../../../lib/model/logical-plan.js';

// What the engine tells of an operator class, and what we tell, in one form that is small enough to be kept. Texts are
// told by their digests.

export interface Answer {
  readonly name: string;
  readonly title: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly shortDesc: string;
  readonly longDesc: string;
  /** By name: type, what is true of it, text. */
  readonly inputs: Members;
  readonly outputs: Members;
  readonly properties: Members;
  /** What properties of a new instance have; of objects only that there is one. Absent where the engine could make none. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

export type Members = Readonly<Record<string, readonly [type: string, traits: string, text: string]>>;

/** A line of `RecordOperators.java`; only what is looked at. */
export interface EngineAnswer {
  readonly name: string;
  readonly displayName?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly shortDesc?: string;
  readonly longDesc?: string;
  readonly portTypeInfo: readonly (TypeDescription & { readonly name: string })[];
  readonly inputPorts: readonly EnginePort[];
  readonly outputPorts: readonly EnginePort[];
  readonly properties: readonly (TypeDescription & {
    readonly name: string;
    readonly canGet: boolean;
    readonly canSet: boolean;
    readonly descriptions?: { readonly $?: string };
  })[];
  readonly defaultValue?: Readonly<Record<string, unknown>>;
}

interface EnginePort {
  readonly name: string;
  readonly optional?: boolean;
  readonly error?: boolean;
  readonly schemaRequired?: boolean;
  readonly description?: string;
}

export function ofEngine(engine: EngineAnswer): Answer {
  const types = new Map(engine.portTypeInfo.map((type) => [type.name, type]));
  const ports = (list: readonly EnginePort[]) =>
    members(list, (port) => [typeText(types.get(port.name)), traits({ ...port }), digest(port.description)]);
  return {
    name: engine.name,
    title: engine.displayName ?? '',
    category: engine.category ?? '',
    tags: engine.tags ?? [],
    shortDesc: digest(engine.shortDesc),
    longDesc: digest(engine.longDesc),
    inputs: ports(engine.inputPorts),
    outputs: ports(engine.outputPorts),
    properties: members(engine.properties, (property) => [
      typeText(property),
      traits({ ...property }),
      digest(property.descriptions?.$),
    ]),
    ...(engine.defaultValue
      ? {
          defaults: Object.fromEntries(
            Object.entries(engine.defaultValue)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, value]) => [name, typeof value === 'object' && value !== null ? {} : value]),
          ),
        }
      : {}),
  };
}

export function ofOurs(operator: JarOperatorClass): Answer {
  const { name, title, category = '', tags = [], shortDesc, longDesc } = operator;
  const ports = (list: JarOperatorClass['inputPorts']) =>
    members(list, (port) => [typeText(port), traits({ ...port }), digest(port.description)]);
  return {
    name,
    title,
    category,
    tags,
    shortDesc: digest(shortDesc),
    longDesc: digest(longDesc),
    inputs: ports(operator.inputPorts),
    outputs: ports(operator.outputPorts),
    properties: members(operator.properties, (property) => [
      typeText(property),
      traits({ ...property }),
      digest(property.description),
    ]),
    defaults: operator.defaultValue ?? {},
  };
}

const members = <T extends { readonly name: string }>(
  list: readonly T[],
  tell: (item: T) => Members[string],
): Members =>
  Object.fromEntries(
    [...list].sort((a, b) => (a.name < b.name ? -1 : 1)).map((item) => [item.name, tell(item)]),
  );

const traits = (of: Readonly<Record<string, unknown>>): string =>
  ['optional', 'error', 'schemaRequired', 'canGet', 'canSet'].filter((name) => of[name] === true).join(' ');

const digest = (text = ''): string =>
  text.trim() === '' ? '' : createHash('sha256').update(text.trim()).digest('hex').slice(0, 8);

/** `T: java.util.Map(Map)<java.lang.String, ?>`. Bounds are left out: the engine tells addresses of objects there. */
function typeText({ type = '', uiType, typeArgs, itemType, typeLiteral }: TypeDescription = {}): string {
  const name = typeLiteral === undefined ? type : `${typeLiteral}: ${type}`;
  const shown = uiType === undefined ? '' : `(${uiType})`;
  const args = typeArgs ? `<${typeArgs.map(typeText).join(', ')}>` : '';
  return `${name}${shown}${args}${itemType ? `[${typeText(itemType)}]` : ''}`;
}
