/** What a launch property sets; `*` in a name stands for all of them. */
export type PropertyTarget = {
  /** `undefined` when the key is for any application. */
  readonly application?: string;
} & (
  | { readonly kind: 'application-attribute'; readonly attribute: string }
  | { readonly kind: 'operator-attribute'; readonly operator: string; readonly attribute: string }
  | { readonly kind: 'operator-property'; readonly operator: string; readonly path: readonly string[] }
  | {
      readonly kind: 'port-attribute';
      readonly operator: string;
      readonly direction: 'input' | 'output' | 'any';
      readonly port: string;
      readonly attribute: string;
    }
  | { readonly kind: 'stream-locality'; readonly stream: string }
);

/** The same key begins in three ways: the platform's, the engine's, and the engine's old one. */
const prefix = /^(?:platform|apex|dt)\./;

export const hasEnginePrefix = (key: string): boolean => prefix.test(key);

/** Equal for keys that mean the same. */
export const engineKey = (key: string): string => key.replace(prefix, 'apex.');

export const keyForms = [
  'attr.{ATTRIBUTE}',
  'operator.{name}.prop.{property}',
  'operator.{name}.attr.{ATTRIBUTE}',
  'operator.{name}.port.{port}.attr.{ATTRIBUTE} (inputport, outputport)',
  'stream.{name}.locality',
  'application.{name}.{any of these}',
].join(', ');

/** `undefined` for what does not set anything in a definition: other settings, templates, unifiers, misspelt keys. */
export function propertyTargetOf(key: string): PropertyTarget | undefined {
  if (!hasEnginePrefix(key)) return undefined;
  const parts = key.replace(prefix, '').split('.');
  if (parts[0] !== 'application') return within(parts);
  const [, application, ...rest] = parts;
  if (!application) return undefined;
  const target = within(rest);
  return target && (application === '*' ? target : { ...target, application });
}

function within([kind, ...rest]: readonly string[]): PropertyTarget | undefined {
  const [name, what, ...path] = rest;
  switch (kind) {
    case 'attr':
      return rest.length > 0 ? { kind: 'application-attribute', attribute: attributeIn(rest) } : undefined;
    case 'stream':
      return name && what === 'locality' && path.length === 0
        ? { kind: 'stream-locality', stream: name }
        : undefined;
    case 'operator':
      return name && what ? ofOperator(name, what, path) : undefined;
    default:
      return undefined;
  }
}

function ofOperator(operator: string, what: string, path: readonly string[]): PropertyTarget | undefined {
  const [port, attr, ...attribute] = path;
  switch (what) {
    case 'attr':
      return path.length > 0
        ? { kind: 'operator-attribute', operator, attribute: attributeIn(path) }
        : undefined;
    case 'prop':
      return path.length > 0 ? { kind: 'operator-property', operator, path } : undefined;
    case 'port':
    case 'inputport':
    case 'outputport':
      if (!port || attr !== 'attr' || attribute.length === 0) return undefined;
      return {
        kind: 'port-attribute',
        operator,
        port,
        direction: what === 'port' ? 'any' : what === 'inputport' ? 'input' : 'output',
        attribute: attributeIn(attribute),
      };
    case 'classname':
    case 'template':
      return undefined;
    default:
      // The engine's short form leaves `prop` out.
      return { kind: 'operator-property', operator, path: [what, ...path] };
  }
}

/** An attribute may be written with its Java class before it. */
const attributeIn = (path: readonly string[]): string => path.at(-1) ?? '';
