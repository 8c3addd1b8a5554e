import type { Permissions } from '../model/acl.js';
import type { AppPackageSource, AppSummary } from '../model/applications.js';
import type { BuildInfo, ClusterMetrics, Queue } from '../model/cluster.js';
import type { CallOptions } from './call-options.js';
import type { Clock } from './clock.js';
import type { Forwarder } from './forwarder.js';
import type { Launcher } from './launcher.js';
import type { Logger } from './logger.js';
import type { Failure, Master, MasterFacet } from './master.js';
import type { PackageOperatorReader } from './package.js';
import type { Planner } from './planner.js';
import type { Sampler } from './sampler.js';
import type { Storage } from './storage.js';

/**
 * The cluster behind the gateway: where applications are listed, launched and ended.
 *
 * Drivers return values with the field names of the API; translating a vendor's answer is theirs. Optional members
 * are facets: a route that needs one answers 501 with a sentence naming the driver and the facet when it is absent. Every call
 * that answers with a promise must give one, and what it resolves has the shape of its type: with the option `development` the
 * gateway looks.
 *
 * Errors: `NotFound` for an unknown id, `Conflict` for a wrong state, with the code that says which
 * (`lib/model/reasons.ts`), `Unreachable` when the cluster can't be asked, `TimedOut` when it did not answer in time. A
 * driver never reports an application as ended without evidence.
 */
export interface ClusterDriver {
  /** Shown in logs, errors and `GET /ws/v2/capabilities`: `local`, `yarn`. */
  readonly name: string;
  readonly resourceManager: ResourceManager;
  /** Absent: it starts no program of this machine. */
  readonly executable?: ClusterExecutable;
  /** Facets that masters of this cluster offer, and no others; a single (older) master may offer fewer. */
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
  /**
   * Idempotent, and called for one that was not opened too. Ends everything that runs inside this process or only because of
   * it, within `timeouts.closeMillis`: then the gateway goes on without.
   */
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
  readonly probe: {
    readonly arguments: readonly string[];
    /** All that it gets. */
    readonly environment: Readonly<Record<string, string>>;
  };
}

/** What the gateway gives to a driver. */
export interface ClusterContext {
  readonly storage: Storage;
  readonly logger: Logger;
  readonly clock: Clock;
  /**
   * Publishes on behalf of an application: `data` is JSON text, or its UTF-8. Topics that belong to the gateway are
   * refused (`false`), except `applications.<appId>.events` and `applications.<appId>.tupleRecorder.*` of that application.
   */
  publish(appId: string, topic: string, data: string | Buffer): boolean;
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
   * All applications that the cluster still knows, ended ones included, each once; `getApplication` and `master` know each of
   * them. `activeOnly` is a hint: ended ones are not needed then, and may be left out.
   */
  listApplications(
    options?: CallOptions & { readonly activeOnly?: boolean },
  ): Promise<readonly ApplicationReport[]>;
  /** Rejects with `NotFound`. */
  getApplication(appId: string, options?: CallOptions): Promise<ApplicationReport>;
  /**
   * Resolves when the cluster took the order; the state and the final status follow later: `KILLED`. Rejects with `Conflict`
   * (`APPLICATION_ENDED`) when it has ended, with `NotFound` for an unknown one.
   */
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
  readonly sampler?: Sampler;
  readonly planner?: Planner;
}

export type ResourceManagerFacet =
  | 'launcher'
  | 'queues'
  | 'configuration'
  | 'permissions'
  | 'packageOperators'
  | 'forwarder'
  | 'sampler'
  | 'planner';

/**
 * What the cluster itself knows of an application, whether its master lives or not. As long as it has not ended, `finalStatus` is
 * `UNDEFINED` and `finishedTime` 0; afterwards `finishedTime` is not before `startedTime`. Times are epoch milliseconds.
 */
export interface ApplicationReport extends AppSummary {
  readonly applicationType: string;
  readonly currentAttemptId: string;
  /** -1 once it ended, and while it is not known; so are the two below. */
  readonly runningContainers: number;
  /** Its state in the words of the cluster, where those are others: `RESTARTING`. */
  readonly clusterState?: string;
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

export interface ClusterAbout {
  readonly engine: BuildInfo;
  readonly cluster: BuildInfo;
  /** Where the cluster is: a URL, or the name of this machine. */
  readonly location: string;
  readonly securityEnabled: boolean;
  readonly haEnabled: boolean;
}

/** Present when the cluster keeps access rules with the application; otherwise the gateway keeps them. */
export interface PermissionStore {
  /** As they were written; `undefined` as long as nobody wrote any. */
  read(appId: string, options?: CallOptions): Promise<Permissions | undefined>;
  write(appId: string, permissions: Permissions, options?: CallOptions): Promise<void>;
}
