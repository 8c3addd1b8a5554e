import { accountIssues } from '../features/accounts/issues.js';
import { createConfigurationService } from '../features/configuration/service.js';
import { containerRuntimeIssues } from '../features/container-runtime/issues.js';
import { licenseIssues } from '../features/licenses/issues.js';
import { mailIssues } from '../features/mail/issues.js';
import { propertyIssues } from '../features/properties/issues.js';
import { systemIssues } from '../features/system/service.js';
import { createAlertService } from '../features/system-alerts/service.js';
import type { TopicSource } from '../features/system-alerts/topic-readings.js';
import { roundCounter } from '../instrumentation.js';
import type { GatewayOptions } from '../options.js';
import type { PersistentScope } from '../persistent-scope.js';
import type { Services } from './services.js';

/** What looks after the platform: alerts over its topics, and its configuration with all that is wrong in it. */
export function createOversight({
  options,
  persistent,
  source,
  restart,
}: {
  readonly options: GatewayOptions;
  readonly persistent: PersistentScope;
  /** What conditions of alerts read. */
  readonly source: TopicSource;
  /** Begins a restart, soon. */
  readonly restart: () => void;
}): Pick<Services, 'configuration' | 'systemAlerts'> {
  const { storage, sealing, keystore, properties, licenses, clock, logger } = persistent.foundation;
  const { authenticator, accounts } = persistent.identity;
  const { applications, mail, alertTemplates, containerRuntime } = persistent.services;
  const systemAlerts = createAlertService({
    documents: storage.documents,
    source,
    appIds: applications.watchable,
    principalOf: accounts.principalOf,
    mails: mail.alerts,
    templates: alertTemplates,
    clock,
    logger,
    options: options.alerts,
    onRound: roundCounter(persistent.metrics),
  });
  const configuration = createConfigurationService({
    documents: storage.documents,
    sealing,
    accounts,
    authenticator,
    logger,
    restart,
    loginMillis: persistent.foundation.timeouts.loginMillis,
    waiting: properties.waiting,
    requireFeature: licenses.requireFeature,
    issueRules: [
      ...licenseIssues(licenses),
      ...propertyIssues(properties, keystore),
      ...systemIssues({ cluster: options.cluster, storage }),
      ...containerRuntimeIssues(containerRuntime),
      ...accountIssues(accounts),
      ...mailIssues(mail, { areWanted: () => systemAlerts.count() > 0 }),
    ],
  });
  return { configuration, systemAlerts };
}
