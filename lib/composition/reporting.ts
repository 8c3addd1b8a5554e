import { createAlertTemplateService } from '../features/alert-templates/service.js';
import { createMailService } from '../features/mail/service.js';
import { createUsageService } from '../features/usage/service.js';
import type { GatewayOptions } from '../options.js';
import type { Teardown } from '../runtime/teardown.js';
import { version } from '../version.js';
import type { Foundation } from './foundation.js';
import type { Services } from './services.js';

/** What the gateway tells of its own accord: mails of alerts, and reports of the usage. */
export async function createReportingServices(
  options: GatewayOptions,
  foundation: Foundation,
  teardown: Teardown,
): Promise<Pick<Services, 'mail' | 'usage' | 'alertTemplates'>> {
  const { storage, sealing, properties, licenses, clock, logger, timeouts } = foundation;
  const { documents } = storage;
  const mail = await createMailService({
    documents,
    sealing,
    mailer: options.mailer,
    options: options.mail,
    isDurable: options.alerts?.durable ?? false,
    clock,
    logger,
    testMillis: timeouts.testMailMillis,
  });
  teardown.add('the outbox of mails', mail.close);
  const usage = await createUsageService({
    licenses,
    documents,
    cluster: options.cluster,
    properties,
    clock,
    logger,
    platformVersion: version,
    installTime: foundation.installed,
    timeoutMillis: timeouts.resourceManagerMillis,
  });
  teardown.add('the usage report', usage.close);
  return { mail, usage, alertTemplates: createAlertTemplateService({ documents }) };
}
