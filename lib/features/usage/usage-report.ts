import { arch, release, type } from 'node:os';
import { version as nodeVersion } from 'node:process';
import type { ClusterAbout, ClusterDriver } from '../../interfaces/cluster.js';
import type { LicenseService } from '../licenses/service.js';
import type { PhoneHomeReport, UsageMetrics } from './schema.js';

/** Asks the cluster, within its time. */
export type AskCluster = <T>(
  signal: AbortSignal,
  question: (options: { signal: AbortSignal }) => Promise<T>,
) => Promise<T>;

interface ReportDeps {
  readonly cluster: ClusterDriver;
  readonly ask: AskCluster;
  readonly licenses: Pick<LicenseService, 'list' | 'current'>;
  readonly platformVersion: string;
}

/** A report of `metrics`, with what the installation is. What the cluster does not tell is left out. */
export async function reportWith(
  metrics: UsageMetrics,
  { cluster: { resourceManager }, ask, licenses, platformVersion }: ReportDeps,
  signal: AbortSignal,
): Promise<PhoneHomeReport> {
  const [told, nodes, license] = await Promise.all([
    ask(signal, (options) => resourceManager.about(options)).catch((): ClusterAbout | undefined => undefined),
    ask(signal, async (options) => resourceManager.nodeCount?.(options)).catch(() => undefined),
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
