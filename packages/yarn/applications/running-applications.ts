import { type Clock, setNewest } from 'headgate/driver-kit';
import { type ApplicationFiles, applicationFiles } from '../facets/application-files.js';
import { type ClassDeclarations, createDeclarations } from '../facets/class-declarations.js';
import { createStartedRecordings, type StartedRecordings } from '../facets/started-recordings.js';
import { type ClusterFiles, pathOf } from '../files/cluster-files.js';
import type { Sighting } from '../manager/reports.js';
import { createDetails, type MasterDetails } from './details.js';

/** What is known of one running application besides what it is asked for. */
interface RunningApplication {
  readonly details: MasterDetails;
  readonly started: StartedRecordings;
  readonly declarations: ClassDeclarations;
  readonly attempt: string;
  /**
   * Where its master said that they are; until it did, they are taken to be where they usually are. `info`: what it has
   * just told.
   */
  files(info?: { readonly appPath: string }): ApplicationFiles;
}

/** What this process knows of the newest applications that were seen running, each as of its last attempt. */
export interface RunningApplications {
  of(sighting: Sighting): RunningApplication;
  /** Of one that may have ended, too. */
  filesOf(appId: string): ApplicationFiles;
}

export function createRunningApplications(deps: {
  readonly files: ClusterFiles;
  readonly rootDirectory: string;
  readonly clock: Clock;
  readonly max: number;
}): RunningApplications {
  const { files, rootDirectory, clock, max } = deps;
  const known = new Map<string, RunningApplication>();
  const usualFiles = (appId: string) => applicationFiles(files, `${rootDirectory}/apps/${appId}`);

  function create(appId: string, attempt: string): RunningApplication {
    let told: ApplicationFiles | undefined;
    return {
      details: createDetails(clock),
      started: createStartedRecordings(clock),
      declarations: createDeclarations(),
      attempt,
      files(info) {
        const path = info && pathOf(info.appPath);
        if (path) told = applicationFiles(files, path);
        return told ?? usualFiles(appId);
      },
    };
  }

  return {
    of({ report: { id, currentAttemptId } }) {
      const found = known.get(id);
      const application = found?.attempt === currentAttemptId ? found : create(id, currentAttemptId);
      setNewest(known, id, application, max);
      return application;
    },
    filesOf: (appId) => known.get(appId)?.files() ?? usualFiles(appId),
  };
}
