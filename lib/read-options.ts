import { passwordOptions } from './features/accounts/password-rules.js';
import { packageOptions } from './features/app-packages/options.js';
import { auditOptions } from './features/audit/options.js';
import { licensingOptions } from './features/licenses/options.js';
import { mailOptions } from './features/mail/options.js';
import { siteOptions } from './features/properties/options.js';
import { proxyOptions } from './features/proxy/options.js';
import { serviceOptions } from './features/services/options.js';
import { installOptions } from './features/system/options.js';
import { alertOptions } from './features/system-alerts/options.js';
import { defaultTokenLimits } from './features/tokens/service.js';
import { originOption } from './http/origin.js';
import { defaultTimeouts } from './model/timeouts.js';
import type { GatewayOptions } from './options.js';
import { defaultLimits } from './pubsub/limits.js';
import { trustedPublisherOptions } from './pubsub/trusted-publishers.js';
import { nearestName } from './runtime/nearest-name.js';
import { type OptionCheck, type OptionChecks, option, readOptions } from './runtime/option-checks.js';
import { kindOf, shown } from './runtime/option-sentences.js';

// Of what the host or others made, only the methods are looked at that no driver can do without.

const storage = option.instance(
  [
    'documents.get',
    'documents.write',
    'documents.entries',
    'blobs.write',
    'blobs.open',
    'blobs.delete',
    'blobs.list',
    'problems',
    'close',
  ],
  'filesystemStorage() of @headgate/level, or one of your own',
);

const cluster = option.instance(
  [
    'resourceManager.listApplications',
    'resourceManager.getApplication',
    'resourceManager.kill',
    'resourceManager.metrics',
    'resourceManager.about',
    'open',
    'master',
    'close',
  ],
  'localCluster() of @headgate/engine, or one of your own',
);

const authenticator = option.instance(
  ['authenticate'],
  "an authenticator, such as passwordSessions() of headgate/auth/password, or 'none'",
);

const auth: OptionCheck = {
  problem(given, place) {
    if (given === 'none') return undefined;
    if (typeof given !== 'string') return authenticator.problem(given, place);
    // Another text may be somebody's password.
    const said = nearestName(given, ['none']) ? shown(given) : kindOf(given);
    return `${place.caller}: auth must be 'none' or an authenticator, such as passwordSessions() of headgate/auth/password, not ${said}`;
  },
};

const containers = option.instance(
  ['open', 'info', 'check', 'install', 'start', 'stop', 'remove', 'list', 'close'],
  'dockerRuntime() or processRuntime() of @headgate/containers, or one of your own',
);

const gatewayOptions: OptionChecks<GatewayOptions> = {
  storage: option.needed(storage, 'filesystemStorage() of @headgate/level, or one of your own'),
  cluster: option.needed(cluster, 'localCluster() of @headgate/engine, or one of your own'),
  auth,
  authorize: option.hooks(['operation', 'topic'], 'an object with functions: { operation(question) {...} }'),
  initialAdmin: option.group({ password: option.needed(option.text, "the first administrator's") }),
  passwords: option.group(passwordOptions),
  logger: option.instance(['debug', 'info', 'warn', 'error'], 'a pino logger, or one of your own'),
  origins: option.listOf(originOption),
  trustProxy: option.anything,
  unknownPaths: option.oneOf('refuse', 'host'),
  console: option.instance(['answer'], 'streamConsole() of @headgate/console'),
  pubsub: option.group({
    limits: option.limits(defaultLimits, 0),
    trustedPublishers: option.listOf(option.group(trustedPublisherOptions)),
  }),
  proxy: option.group(proxyOptions),
  packages: option.group(packageOptions),
  containers,
  site: option.group(siteOptions),
  install: installOptions,
  services: option.group(serviceOptions),
  audit: option.group(auditOptions),
  tokens: option.limits(defaultTokenLimits, 0),
  mailer: option.instance(['send'], 'smtpMailer() of headgate/mail/smtp, or one of your own'),
  mail: option.group(mailOptions),
  alerts: option.group(alertOptions),
  licensing: option.group(licensingOptions),
  lifecycle: option.hooks(['restart'], 'an object with functions: { restart() {...} }'),
  timeouts: option.limits(defaultTimeouts),
  secrets: option.instance(['seal', 'unseal'], 'an object with both of them'),
  development: option.flag,
  clock: option.instance(['now', 'monotonic'], 'an object with both of them'),
};

/** What the host decides, with absolute paths. Throws a `TypeError` for what can't be used. */
export const readGatewayOptions = (given: GatewayOptions): GatewayOptions =>
  readOptions('createGateway', given, gatewayOptions);
