import { BadRequest, type JsonApplication } from '../../../../lib/index.js';

type Properties = Readonly<Record<string, string>>;

const prefix = /^(?:platform|apex|dt)\./;
const forms =
  'attr.{ATTRIBUTE}, operator.{name}.prop.{property}, operator.{name}.attr.{ATTRIBUTE}, operator.{name}.port.{port}.attr.{ATTRIBUTE}, stream.{name}.locality';

/**
 * The application with the launch properties applied; `*` names all operators. Values are checked later, with those of
 * the application. Rejects with `BadRequest` naming the key that means nothing.
 */
export function withLaunchProperties(application: JsonApplication, properties: Properties): JsonApplication {
  const changed = structuredClone(application);
  for (const [key, value] of Object.entries(properties)) apply(changed, key, value);
  return changed;
}

function apply(application: JsonApplication, key: string, value: string): void {
  const unknown = (reason: string) =>
    new BadRequest(`The launch property ${JSON.stringify(key)} ${reason}`, { property: key });
  if (!prefix.test(key)) throw unknown('does not begin with platform., apex. or dt.');
  const [kind, ...rest] = key.replace(prefix, '').split('.');
  if (kind === 'attr' && rest.length === 1) {
    application.attributes = { ...application.attributes, [rest[0] ?? '']: value };
    return;
  }
  if (kind === 'stream' && rest.length === 2 && rest[1] === 'locality') {
    setLocality(application, rest[0] ?? '', value, unknown);
    return;
  }
  if (kind !== 'operator') throw unknown(`is not one of ${forms}`);
  const [name = '', what, ...path] = rest;
  const operators = application.operators.filter((operator) => name === '*' || operator.name === name);
  if (operators.length === 0) throw unknown(`names no operator of the application`);
  for (const operator of operators) {
    if (what === 'prop' && path.length > 0)
      operator.properties = withValue({ ...operator.properties }, path, value);
    else if (what === 'attr' && path.length === 1)
      operator.attributes = { ...operator.attributes, [path[0] ?? '']: value };
    else if (what === 'port' && path.length === 3 && path[1] === 'attr') {
      const [portName = '', , attribute = ''] = path;
      const ports = operator.ports ?? [];
      const port = ports.find((candidate) => candidate.name === portName);
      if (port) port.attributes = { ...port.attributes, [attribute]: value };
      else operator.ports = [...ports, { name: portName, attributes: { [attribute]: value } }];
    } else throw unknown(`is not one of ${forms}`);
  }
}

function setLocality(
  application: JsonApplication,
  name: string,
  value: string,
  unknown: (reason: string) => Error,
): void {
  const stream = application.streams.find(
    (candidate, index) => (candidate.name ?? `stream-${index}`) === name,
  );
  if (!stream) throw unknown('names no stream of the application');
  const locality = localities.find((known) => known === value);
  if (!locality) throw unknown(`must be one of ${localities.join(', ')}`);
  stream.locality = locality;
}

const localities = ['THREAD_LOCAL', 'CONTAINER_LOCAL', 'NODE_LOCAL', 'RACK_LOCAL'] as const;

/** Sets a nested member, on copies. */
function withValue(
  target: Record<string, unknown>,
  path: readonly string[],
  value: string,
): Record<string, unknown> {
  const [first = '', ...rest] = path;
  if (first === '__proto__') return target;
  if (rest.length === 0) return { ...target, [first]: value };
  const inner = target[first];
  const nested = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : {};
  return { ...target, [first]: withValue(nested, rest, value) };
}
