import type { Readable } from 'node:stream';
import { requireIfMatch, type Tagged } from '../../http/conditional.js';
import { downloadOf } from '../../http/range-request.js';
import type { File } from '../../http/reply.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { CallerRequest } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Storage } from '../../interfaces/storage.js';
import type { PackageArchives, PackagedFiles } from '../app-packages/service.js';
import { type ChosenConfigPackage, chosenOf, type LaunchTarget, requireFit } from './chosen.js';
import { misfit } from './compatible.js';
import { configDetailOf, configPackageOf } from './config-detail.js';
import { configAccessTo, createConfigPackageLookup, labelOf } from './config-lookup.js';
import { createConfigUploads } from './config-upload.js';
import type { ConfigPackage, ConfigPackageDetail, ConfigPackageFilter, ConfigPackageRef } from './schema.js';
import { createConfigPackageStore } from './store.js';

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

export async function createConfigPackageService(deps: {
  storage: Storage;
  clock: Clock;
  archives: PackageArchives;
}): Promise<ConfigPackageService> {
  const { archives } = deps;
  const store = createConfigPackageStore(deps);
  const lookup = createConfigPackageLookup(store);
  const uploads = createConfigUploads({ store, archives });
  await store.sweep();

  return {
    async list(call, { appPackageName: name, appPackageVersion: version }, user) {
      const candidate =
        name === undefined ? undefined : { name, ...(version === undefined ? {} : { version }) };
      return (await store.list(user))
        .map(({ value }) => value)
        .filter((stored) => configAccessTo(call.user, stored.user) !== 'none')
        .filter(({ contents }) => !candidate || misfit(contents, candidate) === undefined)
        .map((stored) => configPackageOf(stored, call.user));
    },

    async get(call, ref) {
      const { value } = await lookup.find(call, ref);
      return { value: configDetailOf(value, call.user), digest: value.digest };
    },

    async upload(call, content, declaredBytes) {
      const stored = await uploads.take(call, content, declaredBytes);
      return { value: configDetailOf(stored, call.user), digest: stored.digest };
    },

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
