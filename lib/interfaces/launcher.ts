import type { AppPackageSource } from '../model/applications.js';
import type { ApplicationDefinition, JsonApplication, LogicalPlan } from '../model/logical-plan.js';
import type { SqlApplication } from '../model/sql-application.js';
import type { CallOptions } from './call-options.js';
import type { PackageContent, PackagedApplication } from './package.js';

/** Starts applications. */
export interface Launcher {
  /**
   * Which classes of jars in `app/` are applications here: those of `main`, and then a jar alone is taken for a package too.
   * Default: `streaming`, those that implement the engine's `StreamingApplication`.
   */
  readonly classes?: 'streaming' | 'main';
  /**
   * Resolves the new id as soon as the cluster accepted it. Rejects with `BadRequest` or `InvalidInput` naming what is
   * wrong (the class that there is not, the property that means nothing), `Conflict` when the user already runs one of that name
   * (`APPLICATION_NAME_TAKEN`) or when `originalAppId` has not ended (`APPLICATION_RUNNING`), `NotFound` when nothing is known
   * of that one.
   */
  launch(request: LaunchRequest, options?: CallOptions): Promise<string>;
  /**
   * Starts an ended application again, from its saved state, of the same name and under a new id. Rejects with `Conflict`
   * (`APPLICATION_RUNNING`) while it runs, with `NotFound` for an unknown one.
   */
  restart(appId: string, request: RestartRequest, options?: CallOptions): Promise<string>;
  /**
   * All that `launch` would refuse in the definition, each with its place in it (`operators.0.class`) and a message that names
   * what is wrong there; empty when it can run as it is. Nothing is started. Absent: the gateway checks definitions by what it knows of operator classes.
   */
  check?(
    request: Pick<LaunchRequest, 'packageContent'> & { readonly application: ApplicationDefinition },
    options?: CallOptions,
  ): Promise<readonly DefinitionProblem[]>;
  /**
   * The same of an application in SQL, without asking anybody: `statements.2`. Absent: there is no SQL here, and such applications
   * are refused.
   */
  checkSql?(application: SqlApplication): readonly DefinitionProblem[];
  /**
   * What an application that only code of the package describes comes to: that code is run as a launch would, and
   * nothing is started. The driver remembers answers by digest. Rejects with `Unreachable`, `TimedOut` or
   * `TooManyRequests` when it can't be found out now. Absent: nobody knows before the launch.
   */
  plan?(
    request: Required<Pick<LaunchRequest, 'packageContent' | 'packaged'>>,
    options?: CallOptions,
  ): Promise<PackagedPlan>;
}

/** `error`: why there is none, in the words of the engine. */
export type PackagedPlan =
  | { readonly plan: LogicalPlan }
  | { readonly error: string; readonly stackTrace?: string };

/** One thing that is wrong with the definition of an application. */
export interface DefinitionProblem {
  readonly path: string;
  readonly message: string;
}

export interface LaunchRequest {
  readonly user: string;
  /** Unless the attribute `APPLICATION_NAME` says otherwise. */
  readonly name: string;
  readonly queue?: string;
  /** Absent when something else describes the application: then `packaged` and `packageContent` are there. */
  readonly application?: JsonApplication;
  /** Of an application in SQL: only drivers with `checkSql` are given one. */
  readonly sql?: SqlApplication;
  /**
   * Property name to value, as given for this launch: `apex.operator.{name}.prop.{property}`-like keys of the engine;
   * `platform.` and `dt.` begin the same ones. A driver refuses those that mean nothing to it.
   */
  readonly properties?: Readonly<Record<string, string>>;
  /**
   * What weaker layers set: configuration, configuration package, properties of the application and of its package,
   * merged, without keys that are in `properties`. What means nothing to the driver is left alone.
   */
  readonly defaults?: Readonly<Record<string, string>>;
  /**
   * Names of properties as the package and the configuration package write them, required ones included: for engines that
   * read both by themselves, and take `dt.x` and `apex.x` for two.
   */
  readonly spellings?: readonly string[];
  readonly packageSource?: AppPackageSource;
  /** The package of `packageSource`: operators come from it too. The driver keeps what a restart needs of it. */
  readonly packageContent?: PackageContent;
  /** Which application of `packageContent` it is. */
  readonly packaged?: PackagedApplication;
  /** The configuration package that was chosen, whose properties are in `defaults`: its `classpath/` and `files/` go along. */
  readonly configContent?: PackageContent;
  /** Of an ended application whose saved state the new one goes on from. */
  readonly originalAppId?: string;
  readonly isSystemApp?: boolean;
}

/** A launch of a definition, as opposed to one of a package's code. */
export interface DefinedLaunch extends LaunchRequest {
  readonly application: JsonApplication;
}

export interface RestartRequest {
  readonly user: string;
  readonly queue?: string;
  readonly properties?: Readonly<Record<string, string>>;
}
