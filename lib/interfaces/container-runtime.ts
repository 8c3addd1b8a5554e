import type { CallOptions } from './call-options.js';
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

/**
 * Runs services of type `container`, one container a service. `@headgate/containers` has `dockerRuntime`
 * (Docker, Podman and what speaks like them) and `processRuntime` (child processes, where
 * there is no container runtime).
 *
 * What runs outlives the gateway, also when its process is killed: `list` finds it again. A driver keeps nothing in
 * memory that it could not find out anew, and marks what it makes with the owner, the service's name and the revision
 * (labels, files), so that it never touches what somebody else made.
 *
 * Errors: `Unreachable` when the runtime can't be asked, `TimedOut` when it did not answer in time, `ContainerFailed`
 * with a sentence for the operator when it was asked and could not do it. Every call that takes a signal ends soon after
 * it aborts, with any error; what was half done then is found and cleared away by the next `install`, `start` or
 * `remove` of that name. Calls about one name never overlap, but for `list`.
 */
export interface ContainerRuntime {
  /** Shown in logs, errors and `GET /ws/v2/capabilities`: `docker`, `process`. */
  readonly name: string;
  /** Once, before anything but `check`. Does not need the runtime: it may be started later. */
  open(context: RuntimeContext): Promise<void>;
  /** Asks the runtime, each time. */
  info(options?: CallOptions): Promise<RuntimeInfo>;
  /** Present when the runtime is reached by an address that may change while it is in use. */
  readonly host?: RuntimeHost;
  /**
   * All that can be told to be wrong without asking anybody; empty when there is nothing. Asked when a definition comes in
   * and again before each start. A `${...}` in a word is a variable whose value is not known yet: it fits everywhere.
   * For `install` and `start` all values are known: what looks like a variable is text then, held to the same rules.
   */
  check(spec: ContainerSpec): readonly SpecProblem[];
  /**
   * Resolves when all that `start` needs is on the machine: an image that was pulled, or loaded from `srcUrl`; a program
   * that was fetched from there. Quick when it is there already. May take minutes: `onProgress` is called with a short
   * sentence (`Fetched 12 of 40 MB`, up to 200 characters) at most once a second. Rejects with `ContainerFailed` for what there
   * is not.
   */
  install(
    spec: ContainerSpec,
    options?: CallOptions & { readonly onProgress?: (sentence: string) => void },
  ): Promise<void>;
  /**
   * Makes and starts a container after `install` of the same spec, then runs `exec` in it, where there is one, to its
   * end. One of this name that has ended is replaced; while one runs it rejects with `Conflict` (`CONTAINER_RUNNING`). When
   * `exec` fails (any code but 0, or longer than the driver waits) the container is stopped before the rejection, which is
   * `ContainerFailed`. What a failed start leaves behind has ended, and is in nobody's way.
   */
  start(spec: ContainerSpec, options?: CallOptions): Promise<ContainerReport>;
  /**
   * Asks it to end (SIGTERM), and ends it after `graceMillis`; resolves when it has ended, and at once when it had or
   * when there is none. Its report stays until the next `start` or `remove`.
   */
  stop(name: string, options: CallOptions & { readonly graceMillis: number }): Promise<void>;
  /**
   * Ends it at once if need be, and clears away all that was made for this name, its data included. Images stay: others
   * may use them. Resolves also when there is nothing.
   */
  remove(name: string, options?: CallOptions): Promise<void>;
  /**
   * Everything of this owner and nothing of others, at most one a name; ended ones included, also those that other objects over
   * the same runtime started. Made for being called every few seconds.
   */
  list(options?: CallOptions): Promise<readonly ContainerReport[]>;
  /** Idempotent. Lets go of connections and timers of this process; what runs goes on. */
  close(): Promise<void>;
}

export interface RuntimeContext {
  /** Tells containers of this gateway from those of others on the same runtime: 16 to 64 characters of `[a-z0-9]`. */
  readonly owner: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

export interface RuntimeInfo {
  /** Of the runtime: `20.10.24`. Begins with numbers separated by dots. */
  readonly version: string;
}

export interface RuntimeHost {
  /** `unix:///var/run/docker.sock`: what is in use. */
  current(): string;
  /** Calls from now on go there; absent: to the driver's default. Throws `BadRequest` for what is no address of its kind. */
  use(url: string | undefined): void;
}

/** What a definition comes to: variables replaced, `run` and `exec` split into words as a shell does, without one. */
export interface ContainerSpec {
  /** Of the service, `[A-Za-z0-9][A-Za-z0-9_.-]{0,127}`. */
  readonly name: string;
  /** Changes with the definition; up to 64 characters of `[a-z0-9]`. A report tells which one it was started from. */
  readonly revision: string;
  /** `http:`, `https:` or `file:` URL of an image archive, or of a program. Absent: `run` says all. */
  readonly srcUrl?: string;
  /** Options, then the image (docker) or the program (process), then its arguments. At least one word. */
  readonly run: readonly string[];
  /** A command that runs in the container once it was started. At least one word. */
  readonly exec?: readonly string[];
}

/** One thing that is wrong with a definition. */
export interface SpecProblem {
  readonly field: 'srcUrl' | 'run' | 'exec';
  /** Names the word: `--privileged is not offered here`. */
  readonly message: string;
}

export interface ContainerReport {
  /** Of this container; another one after each start. */
  readonly id: string;
  /** Name and revision of the `ContainerSpec` that it was started from. */
  readonly name: string;
  readonly revision: string;
  /** `starting`: it lives, and says itself (a health check, a port that nobody listens on yet) that it is not ready. */
  readonly state: 'starting' | 'running' | 'ended';
  /** Epoch milliseconds. */
  readonly startedTime: number;
  /** Of an ended one: one sentence for the operator with the code it ended with: `It ended with code 1: no such file`. Else absent. */
  readonly reason?: string;
  /** Memory in use now, in units of 1024 * 1024 bytes. Absent when it can't be told, or not quickly. */
  readonly memoryMB?: number;
  /**
   * What turns out only when it runs, for variables of its own and other services: `port`, the first port that it
   * offers on this machine; `port.<n>`, where it offers its port n; `ip`, where the gateway reaches it. All optional.
   */
  readonly metadata?: Readonly<Record<string, string>>;
}
