import type { Readable } from 'node:stream';
import { requireIfMatch, type Tagged } from '../../http/conditional.js';
import { may, type Principal } from '../../http/principal.js';
import { downloadOf } from '../../http/range-request.js';
import type { File } from '../../http/reply.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { CallerRequest } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { PackageContent } from '../../interfaces/package.js';
import type { Blob, Storage } from '../../interfaces/storage.js';
import { Conflict, DamagedDocument, Forbidden, NotFound, TooLarge } from '../../model/errors.js';
import { type Semaphore, semaphore } from '../../runtime/semaphore.js';
import type { Kept } from '../../storage/collection.js';
import type { PackageArchives, PackagedFiles } from '../app-packages/service.js';
import { misfit } from './compatible.js';
import { readConfigContents } from './read.js';
import type { ConfigPackage, ConfigPackageDetail, ConfigPackageFilter, ConfigPackageRef } from './schema.js';
import { createConfigPackageStore, type StoredConfigPackage } from './store.js';

/** A configuration package that was chosen for a launch. */
export interface ChosenConfigPackage {
  readonly user: string;
  readonly name: string;
  readonly version: string;
  readonly content: PackageContent;
  /** Of `META-INF/properties.xml`, and of the application's own file. */
  readonly properties: {
    readonly all: Readonly<Record<string, string>>;
    readonly application: Readonly<Record<string, string>>;
  };
}

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
    target: {
      readonly groupId?: string;
      readonly name: string;
      readonly version: string;
      readonly appName: string;
    },
    use: (chosen: ChosenConfigPackage) => Promise<T>,
  ): Promise<T>;
}

type Access = 'none' | 'read' | 'write';

function accessTo(user: Principal, owner: string): Access {
  if (user.userName === '') return 'none';
  if (user.userName === owner || may(user, 'MANAGE_OTHER_USERS_CONFIG_PACKAGES')) return 'write';
  return may(user, 'VIEW_OTHER_USERS_CONFIG_PACKAGES') ? 'read' : 'none';
}

const labelOf = ({ user, name }: ConfigPackageRef): string => `${user}/${name}`;

/** Uploads under way; more are answered with 429. */
const uploadsAtOnce = 8;

export async function createConfigPackageService(deps: {
  storage: Storage;
  clock: Clock;
  archives: PackageArchives;
}): Promise<ConfigPackageService> {
  const { archives } = deps;
  const store = createConfigPackageStore(deps);
  const limited: Semaphore = semaphore(uploadsAtOnce, 'uploads of configuration packages');
  await store.sweep();

  async function find(call: Call, ref: ConfigPackageRef): Promise<Kept<StoredConfigPackage>> {
    const kept = await store.find(ref);
    if (!kept || accessTo(call.user, ref.user) === 'none')
      throw new NotFound('configuration package', labelOf(ref));
    return kept;
  }

  /** Of the present package; looks again when it was replaced in between. */
  async function open(
    call: Call,
    ref: ConfigPackageRef,
  ): Promise<{ value: StoredConfigPackage; blob: Blob }> {
    for (let last: string | undefined; ; ) {
      const { value } = await find(call, ref);
      const blob = await store.open(value);
      if (blob) return { value, blob };
      if (value.id === last)
        throw new DamagedDocument(`The archive of the configuration package ${labelOf(ref)}`);
      last = value.id;
    }
  }

  return {
    async list(call, { appPackageName: name, appPackageVersion: version }, user) {
      const candidate =
        name === undefined ? undefined : { name, ...(version === undefined ? {} : { version }) };
      return (await store.list(user))
        .map(({ value }) => value)
        .filter((stored) => accessTo(call.user, stored.user) !== 'none')
        .filter(({ contents }) => !candidate || misfit(contents, candidate) === undefined)
        .map((stored) => shown(stored, call.user));
    },

    async get(call, ref) {
      const { value } = await find(call, ref);
      return { value: detail(value, call.user), digest: value.digest };
    },

    upload: (call, content, declaredBytes) =>
      limited(async () => {
        if (declaredBytes > archives.maxBytes) throw new TooLarge('The package', archives.maxBytes);
        const stored = await store.take(call.user.userName, archives.checked(content, call.signal), {
          signal: call.signal,
          read: async (blob, id) => {
            const files = await archives.open(blob, id, call.signal);
            try {
              return await readConfigContents(files, archives);
            } finally {
              files.close();
            }
          },
          mayReplace: (existing, name) =>
            requireIfMatch(
              call.ifMatch,
              existing?.value.digest,
              `The configuration package ${labelOf({ user: call.user.userName, name })}`,
            ),
        });
        return { value: detail(stored, call.user), digest: stored.digest };
      }),

    async download(call, ref, caller) {
      const { value, blob } = await open(call, ref);
      const { size, digest: etag } = value;
      try {
        return downloadOf(caller, blob, { name: `${ref.name}.apc`, size, etag });
      } finally {
        await blob.close();
      }
    },

    async remove(call, ref) {
      const kept = await find(call, ref);
      if (accessTo(call.user, ref.user) !== 'write')
        throw new Forbidden(
          `The configuration package ${JSON.stringify(labelOf(ref))} is not yours to change`,
        );
      requireIfMatch(call.ifMatch, kept.value.digest, `The configuration package ${labelOf(ref)}`);
      await store.remove(kept);
    },

    async choosing(call, ref, { appName, ...candidate }, use) {
      const { value, blob } = await open(call, ref);
      let packaged: PackagedFiles | undefined;
      try {
        const problem = misfit(value.contents, candidate);
        if (problem !== undefined)
          throw new Conflict(
            `The configuration package ${labelOf(ref)} ${problem}, not for ${candidate.name} ${candidate.version}`,
          );
        const { user, name } = ref;
        const version = versionOf(value);
        packaged = await archives.open(blob, value.id, call.signal);
        const { files, read } = packaged;
        const { properties, applicationProperties } = value.contents;
        const own = applicationProperties.find(({ application }) => application === appName);
        return await use({
          user,
          name,
          version,
          properties: { all: properties, application: own?.properties ?? {} },
          content: {
            owner: user,
            name,
            version,
            digest: value.digest,
            files,
            archive: () => archives.unpackable(blob, value.id),
            async read(file, maxBytes) {
              const content = await read(file, maxBytes);
              if (!content) throw new NotFound(`file in ${labelOf(ref)}`, file);
              return content;
            },
          },
        });
      } finally {
        packaged?.close();
        await blob.close();
      }
    },
  };
}

/** The engine's manifests have none: then the content has to tell one upload from another. */
const versionOf = ({ contents, digest }: StoredConfigPackage): string =>
  contents.version ?? digest.slice(0, 12);

function shown(stored: StoredConfigPackage, caller: Principal): ConfigPackage {
  const { properties: _, applicationProperties: __, ...contents } = stored.contents;
  return {
    user: stored.user,
    ...contents,
    version: versionOf(stored),
    modificationTime: stored.modificationTime,
    canWrite: accessTo(caller, stored.user) === 'write',
  };
}

const detail = (stored: StoredConfigPackage, caller: Principal): ConfigPackageDetail => ({
  ...shown(stored, caller),
  properties: stored.contents.properties,
  applicationProperties: Object.fromEntries(
    stored.contents.applicationProperties.map(({ application, properties }) => [application, properties]),
  ),
});
