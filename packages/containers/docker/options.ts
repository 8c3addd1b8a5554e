import * as z from 'zod';

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

const Limit = z.number().int().positive();
const Options = z.strictObject({
  host: z.string().min(1).optional(),
  hostPaths: z.array(z.string().startsWith('/')).optional(),
  hostNetwork: z.boolean().optional(),
  publishAddress: z.union([z.ipv4(), z.ipv6()]).optional(),
  registries: z.record(z.string(), z.strictObject({ username: z.string(), password: z.string() })).optional(),
  limits: z
    .strictObject({
      timeoutMillis: Limit,
      imageMillis: Limit,
      execMillis: Limit,
      archiveBytes: Limit,
      answerBytes: Limit,
    })
    .partial()
    .optional(),
});

/** Throws `TypeError` naming the option that can't be used. */
export function readOptions(
  options: DockerRuntimeOptions,
): DockerRuntimeOptions & { readonly limits: DockerLimits } {
  const read = Options.safeParse(options);
  if (!read.success) throw new TypeError(`dockerRuntime: ${z.prettifyError(read.error)}`);
  return { ...options, limits: { ...defaultDockerLimits, ...options.limits } };
}
