import type { LaunchRequest } from '../../interfaces/launcher.js';
import { BadRequest, type InputIssue, InvalidInput } from '../../model/errors.js';
import type { RunnableDefinition } from '../../model/sql-application.js';
import type { AppRef } from '../app-packages/schema.js';
import type { LaunchableApplication } from '../app-packages/service.js';
import type { ChosenConfigPackage, LaunchTarget } from '../config-packages/service.js';
import type { PropertyService } from '../properties/service.js';
import { forDriver, type LaunchProperties, launchProperties } from './properties.js';
import type { LaunchQuery } from './schema.js';

/** Whose an application is going to be. */
export interface LaunchedAs {
  readonly user: string;
  readonly isSystemApp?: boolean;
}

/** What a launch is made of, besides the application. */
export interface LaunchSources {
  readonly ref: AppRef;
  readonly query: LaunchQuery;
  readonly properties: Readonly<Record<string, string>>;
  readonly as: LaunchedAs;
  readonly configPackage?: ChosenConfigPackage | undefined;
  readonly site: Pick<PropertyService, 'forLaunch'>;
}

/**
 * What the driver is asked to launch. Throws `BadRequest` for an application that can't run, and with the names of all
 * required properties that nobody gave.
 */
export async function requestOf(app: LaunchableApplication, from: LaunchSources): Promise<LaunchRequest> {
  const { ref, query, configPackage, site } = from;
  if (app.error !== undefined)
    throw new BadRequest('APPLICATION_NOT_LAUNCHABLE', `${ref.appName} can't be launched: ${app.error}`);
  const found = launchProperties({
    launch: from.properties,
    ...app.properties,
    ...(configPackage ? { configPackage: configPackage.properties } : {}),
    userSite: site.forLaunch('USER'),
    localSite: site.forLaunch('LOCAL'),
    globalSite: site.forLaunch('GLOBAL'),
  });
  requireAll(found);
  const definition = await app.definition();
  return {
    ...from.as,
    name: ref.appName,
    ...(query.queue === undefined ? {} : { queue: query.queue }),
    ...(query.originalAppId === undefined ? {} : { originalAppId: query.originalAppId }),
    ...described(definition),
    ...forDriver(found),
    packaged: app.packaged,
    packageSource: sourceOf(ref, configPackage),
    packageContent: await app.content(),
    ...(configPackage ? { configContent: configPackage.content } : {}),
  };
}

const described = (
  definition: RunnableDefinition | undefined,
): Pick<LaunchRequest, 'application' | 'sql'> => {
  if (definition === undefined) return {};
  return definition.kind === 'sql' ? { sql: definition } : { application: definition };
};

function sourceOf({ owner, ...ref }: AppRef, configPackage: ChosenConfigPackage | undefined) {
  if (!configPackage) return { user: owner, ...ref };
  const { user, name, version } = configPackage;
  return { user: owner, ...ref, configPackage: { user, name, version } };
}

function requireAll({ missing }: LaunchProperties): void {
  if (missing.length > 0)
    throw new BadRequest(
      'REQUIRED_PROPERTY_MISSING',
      `Required properties are not set: ${missing.join(', ')}`,
      missing.map((name) => ({ path: `body.${name}`, message: 'is required' })),
    );
}

/** As `query.configPackage` names it: `user/name`. */
export function configPackageRef(text: string): { readonly user: string; readonly name: string } {
  const [user = '', name = ''] = text.split('/');
  return { user, name };
}

/** What a configuration package has to be meant for. */
export const targetOf = (
  { name, version, appName }: AppRef,
  { groupId }: Pick<LaunchableApplication, 'groupId'>,
): LaunchTarget => ({
  ...(groupId === undefined ? {} : { groupId }),
  name,
  version,
  appName,
});

/** A driver without a JVM only says that it has no such class; the package knows that its jars do. */
export async function withReason(
  error: unknown,
  app: LaunchableApplication,
  { application }: LaunchRequest,
  driver: string,
): Promise<unknown> {
  if (!(error instanceof InvalidInput) || !application) return error;
  const { classes } = await app.classes();
  const inJars = new Set(classes.map(({ name }) => name));
  const needsJvm = ({ path }: InputIssue, className: string): InputIssue => ({
    path,
    message: `the driver "${driver}" can't run ${className}, a class of the package's jars: it needs a JVM`,
  });
  return new InvalidInput(
    error.issues.map((issue) => {
      const [, index] = /^operators\.(\d+)\.class$/.exec(issue.path) ?? [];
      const className = index === undefined ? undefined : application.operators[Number(index)]?.class;
      return className === undefined || !inJars.has(className) ? issue : needsJvm(issue, className);
    }),
  );
}
