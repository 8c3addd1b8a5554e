import type { Call } from '../../http/route.js';
import type { ApplicationReport } from '../../interfaces/cluster.js';
import { undefinedIfUnknown } from '../../model/errors.js';
import type { PackageService } from '../app-packages/service.js';
import type { AroundLaunch, LaunchServices } from '../services/service.js';

/**
 * Services as for a launch, as far as the caller may still see what the package says; else those that the application
 * had.
 */
export async function servicesForRestart(
  {
    packages,
    services,
  }: { readonly packages: Pick<PackageService, 'servicesOf'>; readonly services: LaunchServices },
  call: Call,
  { id, name, appPackageSource: source }: ApplicationReport,
): Promise<AroundLaunch> {
  const like = { appName: source?.appName ?? name, declared: undefined, likeApp: id };
  if (!source) return services.before(call, like);
  const ref = { owner: source.user, name: source.name, version: source.version };
  const wanted = await packages
    .servicesOf(call, ref)
    .then((declared) => ({ appName: like.appName, declared }))
    .catch(undefinedIfUnknown);
  return services.before(call, wanted ?? like);
}
