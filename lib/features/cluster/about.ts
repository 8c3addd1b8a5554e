import { arch, hostname, release, type, userInfo } from 'node:os';
import { version as nodeVersion, pid } from 'node:process';
import type { ClusterAbout } from '../../interfaces/cluster.js';
import type { About, BuildInfo } from '../../model/cluster.js';

/** What is known of this gateway while it runs. */
export interface InstallationInfo {
  readonly platformVersion: string;
  /** The commit that it was built from, and its date; empty where it is run from its source. */
  readonly platformBuildRevision: string;
  readonly platformBuildDate: string;
  /** `pid@hostname`: consoles see by it that a restart is over. */
  readonly jvmName: string;
  /** Of the site files; empty when they are in the storage. */
  readonly configDirectory: string;
}

/** `start`: a gateway that restarts in place has a new name in the same process. */
export const installationOf = (
  platformVersion: string,
  build: { readonly revision: string; readonly date: string },
  start = 1,
  configDirectory = '',
): InstallationInfo => ({
  platformVersion,
  platformBuildRevision: build.revision,
  platformBuildDate: build.date,
  configDirectory,
  jvmName: `${pid}${start === 1 ? '' : `-${start}`}@${hostname()}`,
});

/** Who has built it is nobody's business; what the cluster did not tell is left out. */
export const aboutOf = (installation: InstallationInfo, cluster: ClusterAbout | undefined): About => ({
  ...installation,
  platformBuildVersion: installation.platformVersion,
  platformBuildUser: '',
  ...(cluster
    ? {
        ...named('engine', cluster.engine),
        ...named('cluster', cluster.cluster),
        // Deprecated names of the engine's build.
        ...cluster.engine,
        clusterLocation: cluster.location,
        clusterIsSecurityEnabled: cluster.securityEnabled,
        haEnabled: cluster.haEnabled,
      }
    : {}),
  'os.arch': arch(),
  'os.name': type(),
  'os.version': release(),
  javaVendor: 'Node.js',
  javaVersion: nodeVersion,
  gatewayUser: userInfo().username,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  hostname: hostname(),
});

const named = (part: 'engine' | 'cluster', build: BuildInfo): Partial<About> => ({
  [`${part}Version`]: build.version,
  [`${part}BuildDate`]: build.buildDate,
  [`${part}BuildRevision`]: build.buildRevision,
  [`${part}BuildVersion`]: build.buildVersion,
  [`${part}BuildUser`]: build.buildUser,
});
