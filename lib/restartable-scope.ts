import { build } from './build.js';
import { accountIssues } from './features/accounts/issues.js';
import { installationOf } from './features/cluster/about.js';
import { createClusterService } from './features/cluster/service.js';
import { createConfigurationService } from './features/configuration/service.js';
import { containerRuntimeIssues } from './features/container-runtime/issues.js';
import { createDiscoveryService } from './features/discovery/service.js';
import { licenseIssues } from './features/licenses/issues.js';
import { mailIssues } from './features/mail/issues.js';
import { propertyIssues } from './features/properties/issues.js';
import { createSessionService, type LoginMode } from './features/session/service.js';
import { systemIssues } from './features/system/service.js';
import { createAlertService } from './features/system-alerts/service.js';
import type { TopicSource } from './features/system-alerts/topic-readings.js';
import { authentication, everybodysIdentity } from './http/authentication.js';
import { capabilitiesOf } from './http/capabilities.js';
import { createDispatch, type Dispatch } from './http/dispatch.js';
import { buildTable, ownPrefixes, type Table } from './http/table.js';
import { answerCounter, readAlerts, readHub, roundCounter } from './instrumentation.js';
import type { Authenticator } from './interfaces/auth.js';
import type { GatewayOptions } from './options.js';
import type { PersistentScope, Services } from './persistent-scope.js';
import { asyncApi } from './pubsub/asyncapi.js';
import { createHub, type Hub } from './pubsub/hub.js';
import { bindTopics, type TopicTable } from './pubsub/topic-table.js';
import { createUpgradeHandler, type UpgradeHandler } from './pubsub/upgrade-handler.js';
import { roomsAbout, routes } from './routes.js';
import { createTeardown } from './runtime/teardown.js';
import { topics } from './topics.js';
import { version } from './version.js';

/** Of the documents. */
const about = { title: 'Headgate', version, rooms: roomsAbout };

/** What lives from one start or restart to the next: who may come in, their sessions, and all open sockets. */
export interface RestartableScope {
  readonly handle: Dispatch;
  readonly pubsub: UpgradeHandler;
  readonly hub: Hub;
  readonly table: Table;
  /** Opens the authenticator, which the run before must have closed. Until then nobody may call. */
  open(): Promise<void>;
  /** Idempotent. Sockets are closed, sessions are over; requests that are under way go on to their end. */
  close(why: 'goingAway' | 'restart'): Promise<void>;
}

interface RestartableScopeOptions {
  readonly options: GatewayOptions;
  readonly persistent: PersistentScope;
  /** Counts the starts of this gateway, from 1. */
  readonly start: number;
  /** Throws `NotReady` when the gateway has been closed. */
  readonly requireOpen: () => void;
  /** Takes the place of this run by another, soon. */
  readonly restart: () => void;
}

export function createRestartableScope({
  options,
  persistent,
  start,
  requireOpen,
  restart,
}: RestartableScopeOptions): RestartableScope {
  const { cluster } = options;
  const { storage, authenticator, credentials, tokens, sealing, clock, logger, timeouts, metrics } =
    persistent;
  const { accounts, applications, audit, proxy, licenses, mail, properties } = persistent.services;
  const { principalOf } = accounts;
  const capabilities = capabilitiesOf(cluster);
  const configuration = createConfigurationService({
    documents: storage.documents,
    sealing,
    accounts,
    authenticator,
    logger,
    restart,
    waiting: properties.waiting,
    requireFeature: licenses.requireFeature,
    issueRules: [
      ...licenseIssues(licenses),
      ...propertyIssues(properties, persistent.keystore),
      ...systemIssues({ cluster, storage }),
      ...containerRuntimeIssues(persistent.services.containerRuntime),
      ...accountIssues(accounts),
      ...mailIssues(mail, { areWanted: () => systemAlerts.count() > 0 }),
    ],
  });
  const systemAlerts = createAlertService({
    documents: storage.documents,
    source: () => topicSource,
    appIds: applications.watchable,
    principalOf,
    mails: mail.alerts,
    templates: persistent.services.alertTemplates,
    clock,
    logger,
    options: options.alerts,
    onRound: roundCounter(metrics),
  });
  const services: Services = {
    ...persistent.services,
    configuration,
    systemAlerts,
    session: createSessionService({
      loginMode: loginModeOf(options.auth),
      accounts,
      applications: credentials,
    }),
    discovery: createDiscoveryService({
      routes: () => table.routes,
      about,
      asyncApi: () => asyncApi(topics, about),
      cluster,
      capabilities,
      storage,
      healthReasons: configuration.healthReasons,
      requireLicense: licenses.require,
    }),
    cluster: createClusterService({
      cluster,
      installation: installationOf(version, build, start, properties.directory),
      timeoutMillis: timeouts.resourceManagerMillis,
    }),
  };
  const table = buildTable(routes, services, { keeps: options.unknownPaths === 'host' ? [] : ownPrefixes });

  const { limits, trustedPublishers = [] } = options.pubsub ?? {};
  const interval = Number(properties.value('platform.gateway.autoPublishInterval'));
  const topicTable = bindTopics(topics, services, interval);
  const hub = createHub({
    topics: topicTable,
    authorize: options.authorize?.topic?.bind(options.authorize),
    clock,
    logger,
    ...(limits ? { limits } : {}),
  });
  readHub(metrics, hub);
  readAlerts(metrics, systemAlerts);
  const topicSource = topicSourceOf(hub, topicTable);
  const authenticate = authentication(options.auth);
  const pubsub = createUpgradeHandler({
    hub,
    logger,
    requireOpen,
    authenticate: async (request) => (await credentials.authenticate(request)) ?? authenticate(request),
    principalOf: async (identity) =>
      credentials.applicationOf(identity) === undefined
        ? principalOf(identity)
        : credentials.principalOf(identity),
    applicationOf: credentials.applicationOf,
    onUse: (sessionId) => authenticator?.sessions?.touch(sessionId),
    challenge: () => authenticator?.challenge?.(),
    origins: options.origins ?? [],
    trustedPublishers,
    ...(limits ? { limits } : {}),
  });
  const handle = createDispatch({
    table,
    requireOpen,
    authenticate,
    principalOf,
    challenge: () => authenticator?.challenge?.(),
    requireLicense: licenses.require,
    onAnswered: answerCounter(metrics),
    trace: audit,
    authorize: options.authorize?.operation?.bind(options.authorize),
    driverName: cluster.name,
    capabilities,
    origins: options.origins ?? [],
    isOpenToAllOrigins: () => properties.value('platform.gateway.allowCrossOrigin') === 'true',
    logger,
    clock,
  });

  const sessionEnded = (sessionId: string) => {
    hub.sessionEnded(sessionId);
    proxy.tunnels.sessionEnded(sessionId);
  };

  const teardown = createTeardown();
  teardown.add(accounts.onRightsChanged(hub.rightsChanged));
  teardown.add(accounts.onRightsChanged(proxy.tunnels.rightsChanged));
  teardown.add(tokens.onEnd(sessionEnded));
  teardown.add(audit.onRecord((json) => hub.publish('audit', json)));
  return {
    handle,
    pubsub,
    hub,
    table,
    async open() {
      const configured = await configuration.takeEffect();
      accounts.provisioning.begin();
      await authenticator?.open?.({
        verifyPassword: accounts.verifyPassword,
        hasLocalPassword: accounts.hasLocalPassword,
        verifyToken: tokens.verify,
        verifyBy: accounts.provisioning.verifyBy,
        negotiateBy: accounts.provisioning.negotiateBy,
        configuration: configured.configuration,
        reportProblem: configuration.authFailed,
        clock,
        logger,
      });
      // Not before: one that belongs to another gateway refuses to be opened, and must not be closed under it.
      teardown.add(() => authenticator?.close?.());
      teardown.add(authenticator?.sessions?.onEnd(sessionEnded) ?? (() => {}));
      teardown.add(systemAlerts.close);
      await systemAlerts.open();
    },
    async close(why) {
      // First: sockets are told the reason, not that the sessions which they live by are over.
      hub.close(why);
      proxy.tunnels.closeAll();
      await teardown.end();
    },
  };
}

/** What conditions of alerts read. */
const topicSourceOf = (hub: Hub, topicTable: TopicTable): TopicSource => ({
  watch: hub.watch,
  isRead: (topic) => topicTable.find(topic)?.topic.read !== undefined,
  hasViews: (topic) => topicTable.find(topic)?.topic.view !== undefined,
  latest: hub.latest,
  latestAt: hub.latestAt,
  mayRead: hub.mayRead,
});

function loginModeOf(auth: Authenticator | 'none' | undefined): LoginMode {
  if (auth === 'none') return { kind: 'everybody', identity: everybodysIdentity() };
  return auth?.sessions ? { kind: 'sessions', sessions: auth.sessions } : { kind: 'elsewhere' };
}
