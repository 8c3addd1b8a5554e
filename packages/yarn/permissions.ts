import { createBackOff } from '@headgate/history';
import {
  type Clock,
  collection,
  DamagedDocument,
  Forbidden,
  GatewayError,
  type Logger,
  type PermissionStore,
  Permissions,
  type Storage,
} from 'headgate/driver-kit';
import type { ClusterFiles } from './files/cluster-files.js';

/**
 * `permissions.json` in the folder of an application, where the engine's own tools look for it; in the storage of the
 * gateway where it may not write to that folder.
 */
export function permissionStore(deps: {
  readonly files: ClusterFiles;
  readonly folderOf: (appId: string) => string;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly backOffMillis: number;
}): PermissionStore {
  const { files, logger } = deps;
  const kept = collection(deps.storage.documents, 'yarn-permissions', Permissions);
  const pathOf = (appId: string) => `${deps.folderOf(appId)}/permissions.json`;
  // A list asks for those of each of its applications.
  const backOff = createBackOff(deps.clock, deps.backOffMillis);

  async function readFile(appId: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { holding } = backOff;
    if (holding !== undefined) throw holding;
    try {
      const text = await files.readText(pathOf(appId), signal);
      backOff.worked();
      return text;
    } catch (error) {
      if (error instanceof Forbidden) return undefined;
      if (error instanceof GatewayError && error.status >= 500) backOff.failed(error);
      throw error;
    }
  }

  return {
    async read(appId, { signal } = {}) {
      // There only when the file could not be written, or not yet: then it is the newer one.
      const own = await kept.get(appId);
      if (own) return own.value;
      const text = await readFile(appId, signal);
      return text === undefined ? undefined : rulesIn(text, appId);
    },

    async write(appId, permissions, { signal } = {}) {
      const rules = Permissions.parse(permissions);
      signal?.throwIfAborted();
      // First: a cluster's file system writes over the file, and may be left with a part of it.
      await kept.put(appId, rules);
      try {
        await files.writeText(pathOf(appId), `${JSON.stringify(rules)}\n`, signal);
        await kept.remove(appId);
      } catch (err) {
        logger.warn(
          { event: 'application.permissions_kept_by_gateway', err, appId },
          "Permissions can't be written to the application's folder: the gateway keeps them",
        );
      }
    },
  };
}

function rulesIn(text: string, appId: string): Permissions {
  try {
    return Permissions.parse(JSON.parse(text));
  } catch (cause) {
    throw new DamagedDocument(`The file with the permissions of ${appId}`, cause);
  }
}
