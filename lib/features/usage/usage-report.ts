import { arch, release, type } from 'node:os';
import { version as nodeVersion } from 'node:process';
import type { ClusterAbout } from '../../interfaces/cluster.js';
import type { AskResourceManager } from '../../runtime/resource-manager-calls.js';
import type { LicenseService } from '../licenses/service.js';
import type { PhoneHomeReport, UsageMetrics } from './schema.js';

interface ReportDeps {
  readonly askManager: AskResourceManager;
  readonly licenses: Pick<LicenseService, 'list' | 'current'>;
  readonly platformVersion: string;
}

/** A report of `metrics`, with what the installation is. What the cluster does not tell is left out. */
export async function reportWith(
  metrics: UsageMetrics,
  { askManager, licenses, platformVersion }: ReportDeps,
  signal: AbortSignal,
): Promise<PhoneHomeReport> {
  const [told, nodes, license] = await Promise.all([
    askManager(signal, (manager, options) => manager.about(options)).catch(
      (): ClusterAbout | undefined => undefined,
    ),
    askManager(signal, async (manager, options) => manager.nodeCount?.(options)).catch(() => undefined),
    licenseOf(licenses),
  ]);
  return {
    ...license,
    ...(nodes === undefined ? {} : { numNodesInCluster: nodes }),
    'platform.version': platformVersion,
    ...(told ? { 'engine.version': told.engine.version, 'cluster.version': told.cluster.version } : {}),
    'java.vendor': 'Node.js',
    'java.version': nodeVersion,
    'os.arch': arch(),
    'os.name': type(),
    'os.version': release(),
    metrics,
  };
}

/** Without whom it was issued to. */
async function licenseOf(
  licenses: ReportDeps['licenses'],
): Promise<Pick<PhoneHomeReport, 'licenseId' | 'license'>> {
  const [license] = await licenses.list();
  if (!license) return {};
  const { issuedTo: _, ...told } = license;
  const { expirationTimeNotificationLevel: level } = await licenses.current();
  return {
    licenseId: license.id,
    license: { ...told, ...(level ? { expirationTimeNotificationLevel: level } : {}) },
  };
}
