import { BadRequest, type JsonApplication, type LaunchRequest } from '../../../../lib/index.js';

/** The engine knows these beginnings as one (`engine-on-yarn.md` 4.5). */
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

/** The name that the application will have on the cluster. */
export const engineName = (request: LaunchRequest, properties: Readonly<Record<string, string>>): string =>
  attribute(properties, 'APPLICATION_NAME') ??
  String(request.application?.attributes?.['APPLICATION_NAME'] ?? request.name);

/** The engine ignores in silence what is said to operators that there are not. */
export function requireKnownOperators(
  { operators }: JsonApplication,
  properties: Readonly<Record<string, string>>,
): void {
  const names = new Set(operators.map(({ name }) => name));
  for (const key of Object.keys(properties)) {
    const [, name] = /^(?:apex|dt|platform)\.operator\.([^.]+)\./.exec(key) ?? [];
    if (name !== undefined && name !== '*' && !names.has(name))
      throw new BadRequest(`The property ${key} is for an operator that there is not`, {
        operators: [...names],
      });
  }
}
