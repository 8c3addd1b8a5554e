import type { Agent } from 'node:http';
import type { Permissions } from '../core/acl.js';
import type { AppPackageSource, AppSummary } from '../features/applications/schema.js';
import type { BuildInfo, ClusterMetrics, Queue } from '../features/cluster/schema.js';
import type { ApplicationDefinition, JsonApplication, LogicalPlan } from '../features/logical-plan/schema.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';
import type { Master, MasterFacet } from './master.js';
import type { PackageContent, PackageOperatorReader } from './package.js';
import type { Storage } from './storage.js';

/**
 * The cluster behind the gateway: where applications are listed, launched and ended.
 *
 * Drivers return values with the field names of the spec; translating a vendor's answer is theirs. Optional members
 * are facets: a route that needs one answers 501 with a sentence naming the driver and the facet when it is absent.
 *
 * Errors: `NotFound` for an unknown id, `Conflict` for a wrong state, `Unreachable` when the cluster can't be asked,
 * `TimedOut` when it did not answer in time. A driver never reports an application as ended without evidence.
 */
export interface ClusterDriver {
  /** Shown in logs, errors and `GET /ws/v2/capabilities`: `local`, `yarn`. */
  readonly name: string;
  readonly resourceManager: ResourceManager;
  /** Absent: it starts no program of this machine. */
  readonly executable?: ClusterExecutable;
  /** Facets that masters of this cluster offer; a single (older) master may offer fewer. */
  readonly masterFacets: readonly MasterFacet[];
  /** Called once, before anything else. */
  open(context: ClusterContext): Promise<void>;
  /**
   * The view of one application, running or ended: what an ended one can't tell rejects with `Conflict`.
   * Rejects with `NotFound` when the cluster does not know the id.
   */
  master(appId: string, options?: CallOptions): Promise<Master>;
  /** Where applications keep their files. Absent: nobody but the driver needs to know how it is. */
  readonly files?: ClusterFileCheck;
  /** Processes of this machine that run because of the driver, now. Absent: it starts none. */
  childProcesses?(): number;
  /** Idempotent. Ends everything that runs inside this process or only because of it. */
  close(): Promise<void>;
}

export interface ClusterFileCheck {
  /** Resolves when they can be reached and listed; rejects with the reason: `Unreachable`, `TimedOut`, `Forbidden`. */
  check(options?: CallOptions): Promise<void>;
}

/** The program of this machine by which a driver starts applications. */
export interface ClusterExecutable {
  /** Absolute; what the property `platform.clusterExecutable` says, else the driver's own option. */
  path(): string;
  /** How it is found out whether another program can be it: it is started like this, and ends with code 0. */
  readonly trial: {
    readonly arguments: readonly string[];
    /** All that it gets. */
    readonly environment: Readonly<Record<string, string>>;
  };
}

export interface CallOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** What the gateway gives to a driver. */
export interface ClusterContext {
  readonly storage: Storage;
  readonly logger: Logger;
  readonly clock: Clock;
  /**
   * Publishes on behalf of an application: `data` is JSON text. Topics that belong to the gateway are refused
   * (`false`), except `applications.<appId>.events` and `applications.<appId>.tupleRecorder.*` of that application.
   */
  publish(appId: string, topic: string, data: string): boolean;
  /** Receives what clients publish on a topic of their own; returns the function that ends it. */
  subscribe(topic: string, receive: (data: string) => void): () => void;
  /**
   * Receives on behalf of an application, as JSON text, what anybody publishes on a free topic; returns the function
   * that ends it. `undefined` for topics that the application may not listen to: those of the gateway.
   */
  subscribeFor(appId: string, topic: string, receive: (data: string) => void): (() => void) | undefined;
  /**
   * A property of the platform as it is in force, unmasked: ask when it is needed, it may change. Absent: there are none.
   */
  property?(name: string): string | undefined;
  /** Absent: applications that connect for themselves are not let in. */
  readonly credentials?: LaunchCredentials;
}

/**
 * What an application that runs elsewhere logs in with, when it connects to the hub for itself: it may then write its own
 * events, recorded tuples and indexes, and nothing else. Dead when the application ends.
 */
export interface LaunchCredentials {
  /** Good for nothing until it is bound. */
  issue(): Promise<{ readonly userName: string; readonly password: string }>;
  /** From now on it is that of this application, and of no other. */
  bind(userName: string, appId: string): Promise<void>;
  /** Of a launch that failed. */
  discard(userName: string): Promise<void>;
}

export interface ResourceManager {
  /**
   * All applications that the cluster still knows, ended ones included. `activeOnly` is a hint: ended ones are not
   * needed then, and may be left out.
   */
  listApplications(
    options?: CallOptions & { readonly activeOnly?: boolean },
  ): Promise<readonly ApplicationReport[]>;
  /** Rejects with `NotFound`. */
  getApplication(appId: string, options?: CallOptions): Promise<ApplicationReport>;
  /** Resolves when the cluster took the order; the state follows later. Rejects with `Conflict` when it has ended. */
  kill(appId: string, options?: CallOptions): Promise<void>;
  metrics(options?: CallOptions): Promise<ClusterMetrics>;
  about(options?: CallOptions): Promise<ClusterAbout>;
  /** Machines that run containers now. Absent: the driver can't tell. */
  nodeCount?(options?: CallOptions): Promise<number>;
  readonly launcher?: Launcher;
  readonly queues?: { list(options?: CallOptions): Promise<readonly Queue[]> };
  /** Name to value; secrets are masked by the driver. */
  readonly configuration?: { read(options?: CallOptions): Promise<Readonly<Record<string, string>>> };
  readonly permissions?: PermissionStore;
  readonly packageOperators?: PackageOperatorReader;
  readonly forwarder?: Forwarder;
}

export type ResourceManagerFacet =
  | 'launcher'
  | 'queues'
  | 'configuration'
  | 'permissions'
  | 'packageOperators'
  | 'forwarder';

/** What the cluster itself knows of an application, whether its master lives or not. */
export interface ApplicationReport extends AppSummary {
  readonly applicationType: string;
  readonly currentAttemptId: string;
  /** -1 once it ended. */
  readonly runningContainers: number;
  readonly allocatedMB: number;
  readonly allocatedVCores: number;
  readonly appPackageSource?: AppPackageSource;
  /** Belongs to the platform itself: others than its owner need VIEW_SYSTEM_APPS. */
  readonly isSystemApp?: boolean;
  /** Epoch milliseconds of the probe that gave this report; older than the call when the last probe failed. */
  readonly observedAt: number;
  /** Why it failed, as far as the cluster knows; `A/failureRootCause` shows it. */
  readonly failure?: Failure;
}

/** What brought an application down. */
export interface Failure {
  /** In capitals: `OPERATOR_ERROR`, `HEARTBEAT_TIMEOUT`, `OUT_OF_MEMORY`. */
  readonly code: string;
  /** One sentence. */
  readonly message: string;
  /** Epoch milliseconds. */
  readonly at?: number;
  readonly operatorName?: string;
  readonly operatorId?: string;
  readonly containerId?: string;
  readonly stackTrace?: string;
  /** Last lines of the container's log. */
  readonly log?: readonly string[];
}

export interface ClusterAbout {
  readonly engine: BuildInfo;
  readonly cluster: BuildInfo;
  /** Where the cluster is: a URL, or the name of this machine. */
  readonly location: string;
  readonly securityEnabled: boolean;
  readonly haEnabled: boolean;
}

export interface Launcher {
  /**
   * Resolves the new id as soon as the cluster accepted it. Rejects with `BadRequest` or `InvalidInput` naming what is
   * wrong, `Conflict` when the user already runs one of that name or when `originalAppId` has not ended, `NotFound`
   * when nothing is known of that one.
   */
  launch(request: LaunchRequest, options?: CallOptions): Promise<string>;
  /** Starts an ended application again, from its saved state, under a new id. Rejects with `Conflict` while it runs. */
  restart(appId: string, request: RestartRequest, options?: CallOptions): Promise<string>;
  /**
   * All that `launch` would refuse in the definition, each with its place in it (`operators.0.class`); empty when it can
   * run as it is. Nothing is started. Absent: the gateway checks definitions by what it knows of operator classes.
   */
  check?(
    request: Pick<LaunchRequest, 'packageContent'> & { readonly application: ApplicationDefinition },
    options?: CallOptions,
  ): Promise<readonly DefinitionProblem[]>;
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
  /** Absent when only code of the package can describe the application: then `packaged` and `packageContent` are there. */
  readonly application?: JsonApplication;
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

export interface PackagedApplication {
  /** As the package lists it. */
  readonly name: string;
  readonly type: 'json' | 'class' | 'properties';
  /** In the package: `app/words.json`, `app/words.jar`. */
  readonly file: string;
  /** Of an application in a jar. */
  readonly className?: string;
}

export interface RestartRequest {
  readonly user: string;
  readonly queue?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** Present when the cluster keeps access rules with the application; otherwise the gateway keeps them. */
export interface PermissionStore {
  read(appId: string, options?: CallOptions): Promise<Permissions | undefined>;
  write(appId: string, permissions: Permissions, options?: CallOptions): Promise<void>;
}

/** Where a proxy route sends its calls. */
export interface Forwarder {
  /**
   * Asked for each call: what stands for the cluster may move. Rejects with `Conflict` when there is nobody now (an
   * application that has ended, or does not run yet), with `Unreachable` or `TimedOut` when that can't be found out.
   */
  target(options?: CallOptions): Promise<ForwardTarget>;
}

/** One place to send a call to, which `node:http` or `node:https` does. Cookies and credentials of clients do not go along. */
export interface ForwardTarget {
  /**
   * Its path ends with a slash, and what stands behind the prefix of the route goes there; its query parameters
   * replace those of the client that have the same name.
   */
  readonly base: URL;
  /** What goes along and outdoes what the client sent: who the gateway is. */
  headers(request: {
    readonly method: ForwardMethod;
    readonly url: URL;
  }): Promise<Readonly<Record<string, string>>>;
  /** With the certificates and the limits of the driver. */
  readonly agent: Agent;
  /** Nobody could be reached there: the next target is looked for anew. */
  failed(): void;
}

export type ForwardMethod = 'GET' | 'PUT' | 'POST' | 'DELETE';
