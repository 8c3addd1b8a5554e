import { defaultJsonLimits, parseJson } from '../../formats/json.js';
import type { Call } from '../../http/route.js';
import { issueSentences } from '../../http/validate.js';
import type { PackageContent, PackagedApplication } from '../../interfaces/package.js';
import { InvalidInput, NotFound } from '../../model/errors.js';
import { RunnableDefinition } from '../../model/sql-application.js';
import { definitionTextOf } from './application-checks.js';
import { applicationIn } from './applications.js';
import { type ConfigProperty, defaultXmlLimits, parseConfiguration } from './config-xml.js';
import type { AppPackages } from './directory.js';
import { ownProperties } from './meta.js';
import { type OpenPackage, packageLabel } from './open-package.js';
import type { PackageClasses } from './package-check.js';
import { packageContent } from './package-content.js';
import type { AppRef, PackageRef, PackageServices } from './schema.js';

/** One application of a package, with all that its launch needs. It stays what it is as long as it is lent. */
export interface LaunchableApplication {
  /** Why it can't be launched; absent when it can. */
  readonly error?: string;
  readonly packaged: PackagedApplication;
  /** Of the package. */
  readonly groupId?: string;
  /** What the package says of the services that its applications need. */
  readonly services: PackageServices | undefined;
  readonly properties: {
    /** Of the configuration that was asked for. */
    readonly config: readonly ConfigProperty[];
    /** `META-INF/properties-{application}.xml`. */
    readonly application: readonly ConfigProperty[];
    /** `META-INF/properties.xml`. */
    readonly package: readonly ConfigProperty[];
  };
  /** Of a JSON application, else `undefined`. One that was kept before it could run is refused with all that its form lacks. */
  definition(): Promise<RunnableDefinition | undefined>;
  content(): Promise<PackageContent>;
  /** Operator classes in its jars. */
  classes(): Promise<PackageClasses>;
}

export interface PackageLaunchables {
  /** `config`: name of a configuration of the package. Rejects with `NotFound`, also for what the caller may not see. */
  lending<T>(
    call: Call,
    ref: AppRef,
    config: string | undefined,
    use: (application: LaunchableApplication) => Promise<T>,
  ): Promise<T>;
  /** What a package says of services, as far as the caller may see it; rejects with `NotFound`. */
  servicesOf(call: Call, ref: PackageRef): Promise<PackageServices | undefined>;
}

export function createPackageLaunchables(deps: {
  readonly packages: AppPackages;
  readonly classesOf: (pkg: OpenPackage, signal: AbortSignal) => Promise<PackageClasses>;
}): PackageLaunchables {
  const { packages } = deps;
  return {
    lending: (call, { appName, ...ref }, config, use) =>
      packages.reading(call, ref, async (pkg) => {
        const { contents } = pkg;
        const app = applicationIn(contents, appName, ref);
        const { appPackageGroupId: groupId } = contents.manifest;
        return use({
          ...(app.error === undefined ? {} : { error: app.error }),
          packaged: {
            name: appName,
            type: app.type,
            file: `app/${app.file}`,
            ...(app.className === undefined ? {} : { className: app.className }),
          },
          ...(groupId === undefined ? {} : { groupId }),
          services: contents.services,
          properties: {
            config: config === undefined ? [] : await configIn(pkg, config, ref),
            application: ownProperties(contents, appName),
            package: contents.properties,
          },
          definition: async () =>
            app.type === 'json' ? strictly(await definitionTextOf(pkg, app.file)) : undefined,
          content: () => packageContent(pkg),
          classes: () => deps.classesOf(pkg, call.signal),
        });
      }),

    servicesOf: async (call, ref) => (await packages.describing(call, ref)).contents.services,
  };
}

async function configIn(pkg: OpenPackage, config: string, ref: PackageRef): Promise<ConfigProperty[]> {
  if (!pkg.contents.configs.includes(config))
    throw new NotFound(`configuration of ${packageLabel(ref)}`, config, pkg.contents.configs.slice(0, 20));
  return parseConfiguration(await pkg.read(`conf/${config}`, defaultXmlLimits.maxBytes), config);
}

function strictly(text: string): RunnableDefinition {
  const found = RunnableDefinition.safeParse(parseJson(text, defaultJsonLimits), issueSentences);
  if (found.success) return found.data;
  throw new InvalidInput(found.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}
