import { undefinedIfUnknown } from '../../../model/errors.js';
import { openSource } from '../../../runtime/source.js';
import type { PackageService } from '../../app-packages/service.js';
import type { Installed } from '../stored.js';

/** Packages of services belong to this in the package store: to no user, and a package each. */
export const packageOwnerOf = (service: string): string => `service:${service}`;
export const serviceOf = (owner: string | undefined): string | undefined =>
  /^service:(.+)$/.exec(owner ?? '')?.[1];

/** The gateway itself, as the owner of the package of this service. */
export function gatewayFor(service: string, signal: AbortSignal) {
  const userName = packageOwnerOf(service);
  return {
    user: { userName, roles: [], permissions: new Set<never>(), isAdmin: false, identity: { userName } },
    signal,
  };
}

/** Packages that services of type `engine` are launched from. */
interface EnginePackages {
  /** Resolves what has to be remembered of it. */
  fetch(
    service: string,
    srcUrl: string,
    work: { readonly signal: AbortSignal; readonly onProgress: (sentence: string) => void },
  ): Promise<Installed>;
  /** Resolves also when it is gone already. */
  remove(service: string, installed: Installed, signal: AbortSignal): Promise<void>;
}

export function createEnginePackages(
  packages: Pick<PackageService, 'upload' | 'remove'>,
  maxBytes: number,
): EnginePackages {
  return {
    async fetch(service, srcUrl, { signal, onProgress }) {
      const { content } = await openSource(srcUrl, { signal, maxBytes, onProgress });
      try {
        const { value } = await packages.upload(gatewayFor(service, signal), { content }, 'replace');
        return { srcUrl, packageName: value.appPackageName, packageVersion: value.appPackageVersion };
      } finally {
        content.destroy();
      }
    },

    async remove(service, { packageName: name, packageVersion: version }, signal) {
      await packages
        .remove(gatewayFor(service, signal), { owner: packageOwnerOf(service), name, version })
        .catch(undefinedIfUnknown);
    },
  };
}
