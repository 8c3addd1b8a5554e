import { BadRequest, isXmlText, type JsonApplication, type LaunchRequest } from 'headgate/driver-kit';

/** The engine knows these beginnings as one: `docs/decisions.md`, Three beginnings of one key. */
const prefix = /^(?:apex|dt|platform)\./;

const attribute = (properties: Readonly<Record<string, string>>, name: string): string | undefined =>
  properties[`apex.attr.${name}`];

/** All that is set from outside, the stronger over the weaker, in the engine's words; with what it is told of its gateway. */
export function engineProperties({
  request,
  gatewayAddress,
}: {
  readonly request: LaunchRequest;
  readonly gatewayAddress: string;
}): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries({ ...request.defaults, ...request.properties }).map(([name, value]) => [
      name.replace(prefix, 'apex.'),
      value,
    ]),
  );
  const source = request.packageSource;
  const named = request.application?.attributes?.['APPLICATION_NAME'] ?? attribute(given, 'APPLICATION_NAME');
  return {
    ...given,
    ...(named === undefined ? { 'apex.attr.APPLICATION_NAME': request.name } : {}),
    ...(gatewayAddress === '' ? {} : { 'apex.attr.GATEWAY_CONNECT_ADDRESS': gatewayAddress }),
    ...(source
      ? { 'apex.attr.APP_PACKAGE_SOURCE': [source.user, source.name, source.version].join('|') }
      : {}),
  };
}

/**
 * In the words of the package: the engine reads that by itself, compares the names of required properties letter by
 * letter, and takes two beginnings of one name for two properties.
 */
export function asSpelled(
  properties: Readonly<Record<string, string>>,
  spellings: readonly string[] = [],
): Record<string, string> {
  const byName = new Map<string, string[]>();
  for (const spelling of spellings) {
    const name = spelling.replace(prefix, 'apex.');
    byName.set(name, [...(byName.get(name) ?? []), spelling]);
  }
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) =>
      (byName.get(name) ?? [name]).map((spelling) => [spelling, value]),
    ),
  );
}

/** The name that the application will have on the cluster. */
export const engineName = (request: LaunchRequest, properties: Readonly<Record<string, string>>): string =>
  attribute(properties, 'APPLICATION_NAME') ??
  String(request.application?.attributes?.['APPLICATION_NAME'] ?? request.name);

/** Hadoop keeps configurations in XML, which can't hold every character, and no program is given a NUL. */
export function requireXmlText(
  { application, packaged, queue = '' }: Pick<LaunchRequest, 'application' | 'packaged' | 'queue'>,
  properties: Readonly<Record<string, string>> = {},
): void {
  const attributes = Object.entries(application?.attributes ?? {}).map(
    ([name, value]) => [`apex.attr.${name}`, String(value)] as const,
  );
  const told = [
    ...Object.entries(properties),
    ...attributes,
    ['queue', queue] as const,
    ['appName', packaged?.name ?? ''] as const,
  ];
  const [first, ...others] = told.filter(([name, value]) => !isXmlText(name) || !isXmlText(value));
  if (!first) return;
  throw new BadRequest(
    'LAUNCH_PROPERTY_REFUSED',
    `The property ${shown(first[0])} holds characters that no XML file can hold`,
    [first, ...others].map(([name]) => ({
      path: `body.${shown(name)}`,
      message: 'holds characters that no XML file can hold',
    })),
  );
}

/** With its odd characters as escapes. */
const shown = (name: string): string => (isXmlText(name) ? name : JSON.stringify(name));

/** The engine ignores in silence what is said to operators that there are not. */
export function requireKnownOperators(
  { operators }: JsonApplication,
  properties: Readonly<Record<string, string>>,
): void {
  const names = new Set(operators.map(({ name }) => name));
  for (const key of Object.keys(properties)) {
    const [, name] = /^(?:apex|dt|platform)\.operator\.([^.]+)\./.exec(key) ?? [];
    if (name !== undefined && name !== '*' && !names.has(name))
      throw new BadRequest(
        'LAUNCH_PROPERTY_REFUSED',
        `The property ${key} is for an operator that there is not`,
        {
          operators: [...names],
        },
      );
  }
}
