import {
  BadRequest,
  type InputIssue,
  InvalidInput,
  NotFound,
  undefinedIfUnknown,
} from '../../../core/errors.js';
import { defaultJsonLimits, parseJson } from '../../../core/json.js';
import type { Call } from '../../../core/route.js';
import { wording } from '../../../core/validate.js';
import type { ClusterDriver, LaunchRequest } from '../../../interfaces/cluster.js';
import type { PackageContent } from '../../../interfaces/package.js';
import type { AppPackageSource } from '../../applications/schema.js';
import type { ApplicationService } from '../../applications/service.js';
import { JsonApplication } from '../../logical-plan/schema.js';
import type { PropertyService } from '../../properties/service.js';
import { applicationIn, textOf } from '../applications.js';
import { type ConfigProperty, defaultXmlLimits, parseConfiguration } from '../config-xml.js';
import type { AppPackages } from '../directory.js';
import type { PackageClasses } from '../json-application/package-check.js';
import { ownProperties } from '../meta.js';
import { type OpenPackage, packageLabel } from '../open-package.js';
import { packageContent } from '../package-content.js';
import type { AppRef, LaunchQuery, PackageRef, PackageServices } from '../schema.js';
import { forDriver, type LaunchProperties, launchProperties } from './layers.js';

export interface PackageLaunches {
  /**
   * Resolves the id. Rejects with `BadRequest` naming all required properties that nobody gave, and with what
   * `Launcher.launch` rejects with. The package stays what it is until the launch is over.
   */
  launch(
    call: Call,
    ref: AppRef,
    query: LaunchQuery,
    properties: Readonly<Record<string, string>>,
    as?: LaunchedAs,
  ): Promise<string>;
  /**
   * For an application that is started again from its saved state, whatever became of its package: services as for a launch,
   * as far as the caller may still see what the package says; else those that the application had.
   */
  aroundRestart(
    call: Call,
    ended: { readonly id: string; readonly name: string; readonly appPackageSource?: AppPackageSource },
  ): Promise<AroundLaunch>;
}

/** Of a launch that the gateway itself does for somebody. Default: the caller's own. */
export interface LaunchedAs {
  /** Owner of the application. */
  readonly user: string;
  readonly isSystemApp: boolean;
}

/** A configuration package that was chosen for a launch. */
export interface ChosenConfigPackage {
  readonly user: string;
  readonly name: string;
  readonly version: string;
  readonly content: PackageContent;
  /** Of `META-INF/properties.xml`, and of the application's own file. */
  readonly properties: {
    readonly all: Readonly<Record<string, string>>;
    readonly application: Readonly<Record<string, string>>;
  };
}

/** Opens configuration packages that fit; given to a launch by the room that keeps them. */
export interface ConfigPackages {
  /** Rejects with `NotFound`, also for hidden ones, and with `Conflict` for one that is meant for other packages. */
  choosing<T>(
    call: Call,
    ref: { readonly user: string; readonly name: string },
    target: {
      readonly groupId?: string;
      readonly name: string;
      readonly version: string;
      readonly appName: string;
    },
    use: (chosen: ChosenConfigPackage) => Promise<T>,
  ): Promise<T>;
}

/** Services that applications need; given to a launch by the room that keeps them. */
export interface LaunchServices {
  /**
   * Installs what is not there, and starts what has to run before the launch. Rejects with `BadRequest` for what can't be
   * had, with `Forbidden` for what the caller may not install, with `ContainerFailed` or `TimedOut` when it does not run.
   */
  before(
    call: Call,
    app: {
      readonly appName: string;
      readonly declared: PackageServices | undefined;
      /** Nothing is declared any more: the services of this one are needed, as far as they are there. */
      readonly likeApp?: string;
    },
  ): Promise<AroundLaunch>;
}

export interface AroundLaunch {
  /** The others are started; all are noted as needed by this application. Never rejects. */
  launched(appId: string): Promise<void>;
  /** There will be no application: what was installed only for it goes. */
  failed(): Promise<void>;
}

export interface LaunchesDeps {
  readonly services: LaunchServices;
  readonly packages: AppPackages;
  readonly applications: Pick<ApplicationService, 'launchFor'>;
  readonly configPackages: ConfigPackages;
  readonly properties: Pick<PropertyService, 'forLaunch'>;
  readonly cluster: ClusterDriver;
  readonly classesOf: (pkg: OpenPackage, signal: AbortSignal) => Promise<PackageClasses>;
}

export function createPackageLaunches(deps: LaunchesDeps): PackageLaunches {
  const { packages, applications, cluster, properties: site } = deps;

  async function requestOf(
    call: Call,
    pkg: OpenPackage,
    { appName, ...ref }: AppRef,
    query: LaunchQuery,
    properties: Readonly<Record<string, string>>,
    as: LaunchedAs | undefined,
    chosen?: ChosenConfigPackage,
  ): Promise<LaunchRequest> {
    const app = applicationIn(pkg.contents, appName, ref);
    if (app.error !== undefined) throw new BadRequest(`${appName} can't be launched: ${app.error}`);
    const found = launchProperties({
      launch: properties,
      config: query.config === undefined ? [] : await configIn(pkg, query.config, ref),
      ...(chosen ? { configPackage: chosen.properties } : {}),
      application: ownProperties(pkg.contents, appName),
      package: pkg.contents.properties,
      userSite: site.forLaunch('USER'),
      localSite: site.forLaunch('LOCAL'),
      globalSite: site.forLaunch('GLOBAL'),
    });
    requireAll(found);
    const { owner: user, ...source } = ref;
    const { user: configUser = '', name = '', version = '' } = chosen ?? {};
    return {
      user: as?.user ?? call.user.userName,
      ...(as ? { isSystemApp: as.isSystemApp } : {}),
      name: appName,
      ...(query.queue === undefined ? {} : { queue: query.queue }),
      ...(query.originalAppId === undefined ? {} : { originalAppId: query.originalAppId }),
      ...(app.type === 'json' ? { application: strictly(await textOf(pkg, app.file)) } : {}),
      ...forDriver(found),
      packaged: {
        name: appName,
        type: app.type,
        file: `app/${app.file}`,
        ...(app.className === undefined ? {} : { className: app.className }),
      },
      packageSource: {
        user,
        ...source,
        appName,
        ...(chosen ? { configPackage: { user: configUser, name, version } } : {}),
      },
      packageContent: await packageContent(pkg),
      ...(chosen ? { configContent: chosen.content } : {}),
    };
  }

  /** A driver without a JVM only says that it has no such class. */
  async function withReason(error: unknown, pkg: OpenPackage, request: LaunchRequest, signal: AbortSignal) {
    if (!(error instanceof InvalidInput) || !request.application) return error;
    const { operators } = request.application;
    const { classes } = await deps.classesOf(pkg, signal);
    const inJars = new Set(classes.map(({ name }) => name));
    return new InvalidInput(
      error.issues.map((issue) => {
        const [, index] = /^operators\.(\d+)\.class$/.exec(issue.path) ?? [];
        const className = index === undefined ? undefined : operators[Number(index)]?.class;
        return className === undefined || !inJars.has(className) ? issue : needsJvm(issue, className);
      }),
    );
  }

  const needsJvm = ({ path }: InputIssue, className: string): InputIssue => ({
    path,
    message: `the driver "${cluster.name}" can't run ${className}, a class of the package's jars: it needs a JVM`,
  });

  return {
    launch: (call, ref, query, properties, as) =>
      packages.reading(call, ref, async (pkg) => {
        const launch = async (chosen?: ChosenConfigPackage) => {
          const request = await requestOf(call, pkg, ref, query, properties, as, chosen);
          const { appName } = ref;
          const needed = await deps.services.before(call, { appName, declared: pkg.contents.services });
          const appId = await applications.launchFor(call, request).catch(async (error) => {
            await needed.failed();
            throw await withReason(error, pkg, request, call.signal);
          });
          await needed.launched(appId);
          return appId;
        };
        if (query.configPackage === undefined) return launch();
        const [user = '', name = ''] = query.configPackage.split('/');
        const { manifest } = pkg.contents;
        const target = {
          ...(manifest.appPackageGroupId === undefined ? {} : { groupId: manifest.appPackageGroupId }),
          name: ref.name,
          version: ref.version,
          appName: ref.appName,
        };
        return deps.configPackages.choosing(call, { user, name }, target, launch);
      }),

    async aroundRestart(call, { id, name, appPackageSource: source }) {
      const ref = source && { owner: source.user, name: source.name, version: source.version };
      const found = ref && (await packages.describing(call, ref).catch(undefinedIfUnknown));
      return deps.services.before(call, {
        appName: source?.appName ?? name,
        declared: found?.contents.services,
        ...(found ? {} : { likeApp: id }),
      });
    },
  };
}

async function configIn(pkg: OpenPackage, config: string, ref: PackageRef): Promise<ConfigProperty[]> {
  if (!pkg.contents.configs.includes(config))
    throw new NotFound(`configuration of ${packageLabel(ref)}`, config, pkg.contents.configs.slice(0, 20));
  return parseConfiguration(await pkg.read(`conf/${config}`, defaultXmlLimits.maxBytes), config);
}

function requireAll({ missing }: LaunchProperties): void {
  if (missing.length > 0)
    throw new BadRequest(
      `Required properties are not set: ${missing.join(', ')}`,
      missing.map((name) => ({ path: `body.${name}`, message: 'is required' })),
    );
}

/** One that was kept before it could run is refused with all that its form lacks. */
function strictly(text: string): JsonApplication {
  const found = JsonApplication.safeParse(parseJson(text, defaultJsonLimits), wording);
  if (found.success) return found.data;
  throw new InvalidInput(found.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}
