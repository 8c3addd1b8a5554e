import type { Readable } from 'node:stream';
import { requireIfMatch } from '../../http/conditional.js';
import type { ConditionalCall } from '../../http/route.js';
import { TooLarge } from '../../model/errors.js';
import { semaphore } from '../../runtime/semaphore.js';
import type { StagedBlob } from '../../storage/named-blobs.js';
import type { PackageArchives } from '../app-packages/service.js';
import { labelOf } from './config-lookup.js';
import { type ConfigContents, readConfigContents } from './read.js';
import type { ConfigPackageStore, StoredConfigPackage } from './store.js';

interface ConfigUploads {
  /** Stages, inspects and publishes an archive as the caller's. Leaves nothing when it rejects. */
  take(call: ConditionalCall, content: Readable, declaredBytes: number): Promise<StoredConfigPackage>;
}

/** Uploads under way; more are answered with 429. */
const uploadsAtOnce = 8;

export function createConfigUploads(deps: {
  store: Pick<ConfigPackageStore, 'stage' | 'publish'>;
  archives: PackageArchives;
}): ConfigUploads {
  const { store, archives } = deps;
  const limited = semaphore(uploadsAtOnce, 'uploads of configuration packages');

  async function inspect(staged: StagedBlob, signal: AbortSignal): Promise<ConfigContents> {
    const blob = await staged.open();
    try {
      const files = await archives.open(blob, staged.id, signal);
      try {
        return await readConfigContents(files, archives);
      } finally {
        files.close();
      }
    } finally {
      await blob.close();
    }
  }

  return {
    take: ({ user, signal, ifMatch }, content, declaredBytes) =>
      limited(async () => {
        if (declaredBytes > archives.maxBytes) throw new TooLarge('The package', archives.maxBytes);
        const staged = await store.stage(archives.checked(content, signal), { signal });
        try {
          const contents = await inspect(staged, signal);
          const label = labelOf({ user: user.userName, name: contents.name });
          return await store.publish(user.userName, staged, contents, (existing) =>
            requireIfMatch(ifMatch, existing?.value.digest, `The configuration package ${label}`),
          );
        } finally {
          await staged.release();
        }
      }),
  };
}
