import { isIP } from 'node:net';
import { type OptionChecks, option, readOptions } from 'headgate/driver-kit';

export interface DockerRuntimeOptions {
  /**
   * `unix:///run/podman/podman.sock` or `http://10.0.0.7:2375`; the property `platform.containerHost` comes before it.
   * Default: the first there is of `/var/run/docker.sock` and `/run/podman/podman.sock`. Whoever may use the socket of
   * Docker may do anything on its machine: the process of the host has to have that right.
   */
  readonly host?: string;
  /**
   * Directories of the runtime's machine that `--volume` may mount from, with all that is below. Default: none, and only
   * volumes with names are mounted.
   */
  readonly hostPaths?: readonly string[];
  /** Offers `--network host`: such a container reaches whatever listens on the loopback of its machine. Default: false. */
  readonly hostNetwork?: boolean;
  /**
   * Address that published ports listen on where `--publish` names none. Default: `127.0.0.1` for a runtime behind a
   * socket, as the gateway's own proxy is the way in; all addresses for one behind a URL.
   */
  readonly publishAddress?: string;
  /** Logins for pulling images, by the registry's `host[:port]`. */
  readonly registries?: Readonly<Record<string, { readonly username: string; readonly password: string }>>;
  readonly limits?: Partial<DockerLimits>;
}

export interface DockerLimits {
  /** Milliseconds until an answer begins, and between two pieces of it. Default: 10 s. */
  readonly timeoutMillis: number;
  /** Milliseconds without any progress while an image is pulled or loaded. Default: 2 min. */
  readonly imageMillis: number;
  /** Milliseconds that `exec` may take. Default: 5 min. */
  readonly execMillis: number;
  /** Of an archive from `srcUrl`. Default: 8 GiB. */
  readonly archiveBytes: number;
  /** Of one answer of the runtime. Default: 8 MiB. */
  readonly answerBytes: number;
}

export const defaultDockerLimits: DockerLimits = {
  timeoutMillis: 10_000,
  imageMillis: 120_000,
  execMillis: 300_000,
  archiveBytes: 8 * 2 ** 30,
  answerBytes: 8 * 2 ** 20,
};

const dockerRuntimeOptions: OptionChecks<DockerRuntimeOptions> = {
  host: option.matching(/./, 'an address such as unix:///run/podman/podman.sock'),
  // Of another machine, maybe: nobody here can resolve them.
  hostPaths: option.listOf(option.matching(/^\//, "an absolute path of the runtime's machine")),
  hostNetwork: option.flag,
  publishAddress: {
    problem: (given, { caller, path }) =>
      typeof given === 'string' && isIP(given) > 0
        ? undefined
        : `${caller}: ${path} must be an IP address such as '127.0.0.1'`,
  },
  registries: option.valuesOf(
    option.group<{ username: string; password: string }>({
      username: option.needed(option.text, 'who logs in'),
      password: option.needed(option.text, 'of that user'),
    }),
  ),
  limits: option.limits(defaultDockerLimits),
};

/** Throws `TypeError` naming the option that can't be used. */
export function readDockerOptions(
  given: DockerRuntimeOptions,
): DockerRuntimeOptions & { readonly limits: DockerLimits } {
  const options = readOptions('dockerRuntime', given, dockerRuntimeOptions);
  return { ...options, limits: { ...defaultDockerLimits, ...options.limits } };
}
