import { networkInterfaces } from 'node:os';
import { isAbsolute } from 'node:path';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Storage } from '../../interfaces/storage.js';
import { asGatewayError, BadRequest, NotSupported } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { PropertyService } from '../properties/service.js';
import { problemOfFile, problemOfProgram } from './executable.js';
import type { InstallOptions } from './options.js';
import type { InstallMode } from './schema.js';

export interface SystemService {
  installMode(): InstallMode;
  /** What was set last, else what the driver starts. */
  clusterExecutable(): string;
  /** In force at the next restart. Rejects with `BadRequest` saying why it is no working program. */
  setClusterExecutable(path: string, signal: AbortSignal): Promise<string>;
  ipAddresses(): string[];
}

const executableProperty = 'platform.clusterExecutable';

interface SystemDeps {
  readonly cluster: ClusterDriver;
  readonly properties: Pick<PropertyService, 'list' | 'put' | 'value'>;
  readonly options: InstallOptions | undefined;
}

export function createSystemService({ cluster, properties, options }: SystemDeps): SystemService {
  const executable = () => properties.list()[executableProperty]?.value ?? cluster.executable?.path() ?? '';
  return {
    installMode() {
      const { mode: installMode, ...preset } = options ?? { mode: 'community' };
      return { installMode, ...preset };
    },

    clusterExecutable: executable,

    async setClusterExecutable(path, signal) {
      if (path === executable()) return path;
      if (!cluster.executable) {
        throw new NotSupported(cluster.name, 'executable: it starts no program of this machine');
      }
      if (path === '')
        throw new BadRequest('EXECUTABLE_NOT_USABLE', "The cluster's executable must not be blank", [
          { path: 'body.value', message: 'must not be blank' },
        ]);
      const problem = await problemOfProgram(path, cluster.executable.probe, signal);
      signal.throwIfAborted();
      if (problem !== undefined) {
        throw new BadRequest(
          'EXECUTABLE_NOT_USABLE',
          `${path} can't be the cluster's executable: ${problem}`,
          [{ path: 'body.value', message: problem }],
        );
      }
      await properties.put(executableProperty, { value: path, local: true });
      return path;
    },

    ipAddresses: () =>
      Object.values(networkInterfaces())
        .flatMap((list = []) => list.map(({ address }) => address))
        .filter((address, i, all) => all.indexOf(address) === i),
  };
}

/** Milliseconds: the other issues wait. */
const glanceMillis = 3000;

/** What an administrator should know of the machine, and of what is kept on it and on the cluster. */
export const systemIssues = ({
  cluster,
  storage,
}: {
  readonly cluster: Pick<ClusterDriver, 'executable' | 'files'>;
  readonly storage: Pick<Storage, 'problems'>;
}) => [
  {
    key: 'CLUSTER_EXECUTABLE_NOT_FOUND',
    severity: 'error' as const,
    propertyName: executableProperty,
    health: { part: 'cluster', message: 'No application can be started' },
    async find(): Promise<string | undefined> {
      const path = cluster.executable?.path();
      // One that a host has named otherwise is looked for where the driver starts it.
      const problem = path && isAbsolute(path) ? await problemOfFile(path) : undefined;
      return problem && `No application can be started: ${path} is set as the program, but ${problem}`;
    },
  },
  {
    key: 'DFS_PROBLEM',
    severity: 'error' as const,
    find: (): Promise<string | undefined> =>
      withTimeout(glanceMillis, 'The file system of the cluster', undefined, async (signal) =>
        cluster.files?.check({ signal }),
      ).then(
        () => undefined,
        (error: unknown) => `Files of applications can't be reached: ${asGatewayError(error).message}`,
      ),
  },
  {
    key: 'DFS_PROBLEM',
    severity: 'error' as const,
    find(): string | undefined {
      const [first, ...others] = storage.problems();
      return first && `${first.message}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
    },
  },
];
