import type { Readable } from 'node:stream';
import { requireIfMatch, type Tagged } from '../../http/conditional.js';
import type { Principal } from '../../http/principal.js';
import { downloadOf } from '../../http/range-request.js';
import type { File } from '../../http/reply.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { CallerRequest } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Storage } from '../../interfaces/storage.js';
import { TooLarge } from '../../model/errors.js';
import { semaphore } from '../../runtime/semaphore.js';
import type { StagedBlob } from '../../storage/named-blobs.js';
import type { PackageArchives, PackagedFiles } from '../app-packages/service.js';
import { type ChosenConfigPackage, chosenOf, type LaunchTarget, requireFit, versionOf } from './chosen.js';
import { misfit } from './compatible.js';
import { configAccessTo, createConfigPackageLookup, labelOf } from './config-lookup.js';
import { type ConfigContents, readConfigContents } from './read.js';
import type { ConfigPackage, ConfigPackageDetail, ConfigPackageFilter, ConfigPackageRef } from './schema.js';
import { createConfigPackageStore, type StoredConfigPackage } from './store.js';

export type { ChosenConfigPackage, LaunchTarget } from './chosen.js';

/** Properties for launches, kept apart from the packages that are launched. They belong to who uploaded them. */
export interface ConfigPackageService {
  list(call: Call, filter: ConfigPackageFilter, user?: string): Promise<ConfigPackage[]>;
  get(call: Call, ref: ConfigPackageRef): Promise<Tagged<ConfigPackageDetail>>;
  /** Creates or replaces the caller's package of that name. `declaredBytes`: those of `content`, where the client says so. */
  upload(
    call: ConditionalCall,
    content: Readable,
    declaredBytes: number,
  ): Promise<Tagged<ConfigPackageDetail>>;
  download(call: Call, ref: ConfigPackageRef, caller: Pick<CallerRequest, 'headers'>): Promise<File>;
  remove(call: ConditionalCall, ref: ConfigPackageRef): Promise<void>;
  /** For a launch. Rejects with `NotFound`, also for hidden ones, and with `Conflict` for one that is meant for other packages. */
  choosing<T>(
    call: Call,
    ref: { readonly user: string; readonly name: string },
    target: LaunchTarget,
    use: (chosen: ChosenConfigPackage) => Promise<T>,
  ): Promise<T>;
}

/** Uploads under way; more are answered with 429. */
const uploadsAtOnce = 8;

export async function createConfigPackageService(deps: {
  storage: Storage;
  clock: Clock;
  archives: PackageArchives;
}): Promise<ConfigPackageService> {
  const { archives } = deps;
  const store = createConfigPackageStore(deps);
  const limited = semaphore(uploadsAtOnce, 'uploads of configuration packages');
  const lookup = createConfigPackageLookup(store);
  await store.sweep();

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
    async list(call, { appPackageName: name, appPackageVersion: version }, user) {
      const candidate =
        name === undefined ? undefined : { name, ...(version === undefined ? {} : { version }) };
      return (await store.list(user))
        .map(({ value }) => value)
        .filter((stored) => configAccessTo(call.user, stored.user) !== 'none')
        .filter(({ contents }) => !candidate || misfit(contents, candidate) === undefined)
        .map((stored) => shown(stored, call.user));
    },

    async get(call, ref) {
      const { value } = await lookup.find(call, ref);
      return { value: detail(value, call.user), digest: value.digest };
    },

    upload: (call, content, declaredBytes) =>
      limited(async () => {
        if (declaredBytes > archives.maxBytes) throw new TooLarge('The package', archives.maxBytes);
        const { signal, user, ifMatch } = call;
        const staged = await store.stage(archives.checked(content, signal), { signal });
        try {
          const contents = await inspect(staged, signal);
          const label = labelOf({ user: user.userName, name: contents.name });
          const stored = await store.publish(user.userName, staged, contents, (existing) =>
            requireIfMatch(ifMatch, existing?.value.digest, `The configuration package ${label}`),
          );
          return { value: detail(stored, user), digest: stored.digest };
        } finally {
          await staged.release();
        }
      }),

    async download(call, ref, caller) {
      const { value, blob } = await lookup.open(call, ref);
      const { size, digest: etag } = value;
      try {
        return downloadOf(caller, blob, { name: `${ref.name}.apc`, size, etag });
      } finally {
        await blob.close();
      }
    },

    async remove(call, ref) {
      const kept = await lookup.findToChange(call, ref);
      requireIfMatch(call.ifMatch, kept.value.digest, `The configuration package ${labelOf(ref)}`);
      await store.remove(kept);
    },

    async choosing(call, ref, target, use) {
      const { value, blob } = await lookup.open(call, ref);
      let packaged: PackagedFiles | undefined;
      try {
        requireFit(value, target);
        packaged = await archives.open(blob, value.id, call.signal);
        return await use(chosenOf(value, packaged, target, () => archives.unpackable(blob, value.id)));
      } finally {
        packaged?.close();
        await blob.close();
      }
    },
  };
}

function shown(stored: StoredConfigPackage, caller: Principal): ConfigPackage {
  const { properties: _, applicationProperties: __, ...contents } = stored.contents;
  return {
    user: stored.user,
    ...contents,
    version: versionOf(stored),
    modificationTime: stored.modificationTime,
    canWrite: configAccessTo(caller, stored.user) === 'write',
  };
}

const detail = (stored: StoredConfigPackage, caller: Principal): ConfigPackageDetail => ({
  ...shown(stored, caller),
  properties: stored.contents.properties,
  applicationProperties: Object.fromEntries(
    stored.contents.applicationProperties.map(({ application, properties }) => [application, properties]),
  ),
});
