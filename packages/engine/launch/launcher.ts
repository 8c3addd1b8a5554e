import { Conflict, type InputIssue, type LaunchRequest, type RestartRequest } from 'headgate/driver-kit';
import { createAccess } from '../access/access.js';
import type { ApplicationRecord } from '../store/record.js';
import { createCapacity } from './capacity.js';
import { type DefinitionCheck, problemsWith } from './definition-check.js';
import { type LaunchDeps, launchApplication } from './launch.js';

type LauncherDeps = Omit<LaunchDeps, 'access' | 'capacity'>;

interface Launcher {
  /** Resolves the id. */
  launch(request: LaunchRequest): Promise<string>;
  restart(appId: string, request: RestartRequest): Promise<string>;
  /** All that is wrong with a definition. */
  check(request: DefinitionCheck): Promise<readonly InputIssue[]>;
  /** Resolves when no launch is under way. */
  settled(): Promise<void>;
}

export function createLauncher(deps: LauncherDeps): Launcher {
  const { settings, applications } = deps;
  const access = createAccess(settings.access);
  const capacity = createCapacity({ settings, applications });
  const launching = new Set<Promise<string>>();

  /** Closing waits for it: what it writes must not come after the directory was let go. */
  function launch(request: LaunchRequest, from?: ApplicationRecord): Promise<string> {
    const letGo = from && applications.hold(from.id);
    const launched = launchApplication(request, from, { ...deps, access, capacity });
    const over = () => {
      launching.delete(launched);
      letGo?.();
    };
    launching.add(launched);
    launched.then(over, over);
    return launched;
  }

  function endedOne(appId: string): ApplicationRecord {
    const record = applications.record(appId);
    if (applications.isRunning(appId))
      throw new Conflict('APPLICATION_RUNNING', `The application ${appId} is still running`);
    return record;
  }

  return {
    async launch(request) {
      return launch(
        request,
        request.originalAppId === undefined ? undefined : endedOne(request.originalAppId),
      );
    },
    async check({ application, packageContent }) {
      const { operators, release } = await deps.engine().packageCode.operatorsFor(packageContent);
      try {
        return await problemsWith(application, operators, access);
      } finally {
        release();
      }
    },
    async settled() {
      await Promise.allSettled(launching);
    },
    async restart(appId, { user, queue, properties }) {
      const record = endedOne(appId);
      const { name, application, packageSource, isSystemApp } = record;
      return launch(
        {
          user,
          name,
          application,
          isSystemApp,
          ...(queue === undefined ? {} : { queue }),
          ...(properties ? { properties } : {}),
          ...(packageSource ? { packageSource } : {}),
        },
        record,
      );
    },
  };
}
