import type { Clock, LaunchCredentials, Launcher, Logger } from 'headgate/driver-kit';
import { type CliOptions, createCli, launchOutputBytes } from '../commands/cli.js';
import type { YarnApplications } from '../manager/applications.js';
import type { YarnSettings } from '../settings/options.js';
import { createDiscovery, type Discovery } from './discovery.js';
import { createLauncher } from './launcher.js';
import type { LaunchRecords } from './records.js';

/** What the engine's command line does for the gateway; nothing of it where none is given. */
interface Launching {
  readonly launcher: Launcher | undefined;
  readonly discovery: Discovery | undefined;
}

export function createLaunching(
  settings: YarnSettings,
  deps: {
    readonly applications: YarnApplications;
    readonly records: LaunchRecords;
    readonly logger: Logger;
    readonly clock: Clock;
    readonly gatewayAddress: () => string;
    readonly credentials: LaunchCredentials | undefined;
    /** Named by the properties of the site. */
    readonly program: () => string | undefined;
  },
): Launching {
  const { cli, limits, user, authorize } = settings;
  const { applications, records, logger, clock, gatewayAddress, credentials, program } = deps;
  if (!cli) return { launcher: undefined, discovery: undefined };

  const commandLine = (command: CliOptions, outputBytes: number) =>
    createCli({
      cli: command,
      program,
      limits,
      outputBytes,
      user: authorize ? undefined : user,
      logger,
      settings: { 'dt.dfsRootDirectory': settings.rootDirectory },
    });

  return {
    // Apart from launches, which wait for nobody who only looks.
    discovery:
      settings.discovery === 'cli'
        ? createDiscovery({ cli: commandLine(cli, limits.answerBytes) })
        : undefined,
    launcher: createLauncher({
      cli: commandLine(cli, launchOutputBytes),
      applications,
      records,
      logger,
      gatewayAddress,
      credentials,
      now: clock.now,
    }),
  };
}
