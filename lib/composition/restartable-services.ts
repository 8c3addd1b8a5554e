import { buildInfo } from '../build.js';
import { installationOf } from '../features/cluster/about.js';
import { createClusterService } from '../features/cluster/service.js';
import { createDiscoveryService } from '../features/discovery/service.js';
import { createSessionService, type LoginMode } from '../features/session/service.js';
import { createTopicStreamService } from '../features/topic-streams/service.js';
import { everybodysIdentity } from '../http/authentication.js';
import type { Capability } from '../http/capabilities.js';
import type { Authenticator } from '../interfaces/auth.js';
import type { GatewayOptions } from '../options.js';
import type { PersistentScope } from '../persistent-scope.js';
import { asyncApi } from '../pubsub/asyncapi.js';
import type { Hub } from '../pubsub/hub.js';
import { createTopicStreams } from '../pubsub/topic-streams.js';
import type { PubsubEntry } from '../pubsub/upgrade-handler.js';
import { loadRoutes } from '../room-loading.js';
import { roomsAbout } from '../rooms-about.js';
import { topics } from '../topics.js';
import { version } from '../version.js';
import { createPubsubEntry } from './entry-points.js';
import { createOversight } from './oversight.js';
import type { RestartableService, Services } from './services.js';
import { createTopicHub } from './topic-hub.js';

/** Of the documents. */
const about = { title: 'Headgate', version, rooms: roomsAbout };

/** The rooms that hold what a restart replaces, the hub that some of them listen to, and where sockets come in. */
export function createRestartableServices({
  options,
  persistent,
  start,
  capabilities,
  restart,
  requireOpen,
}: {
  readonly options: GatewayOptions;
  readonly persistent: PersistentScope;
  /** Counts the starts of this gateway, from 1. */
  readonly start: number;
  readonly capabilities: ReadonlySet<Capability>;
  readonly restart: () => void;
  /** Throws `NotReady` when the gateway has been closed. */
  readonly requireOpen: () => void;
}): { readonly hub: Hub; readonly pubsub: PubsubEntry; readonly rooms: Pick<Services, RestartableService> } {
  const { foundation, identity } = persistent;
  const cluster = createClusterService({
    cluster: options.cluster,
    installation: installationOf(version, buildInfo, start, foundation.properties.directory),
    timeoutMillis: foundation.timeouts.resourceManagerMillis,
  });
  const { hub, source } = createTopicHub(options, foundation, { ...persistent.services, cluster });
  const { configuration, systemAlerts } = createOversight({ options, persistent, source, restart });
  const session = createSessionService({
    loginMode: loginModeOf(options.auth),
    accounts: identity.accounts,
    applications: identity.credentials,
  });
  const discovery = createDiscoveryService({
    loadRoutes,
    about,
    asyncApi: () => asyncApi(topics, about),
    cluster: options.cluster,
    capabilities,
    storage: foundation.storage,
    healthReasons: configuration.healthReasons,
    requireLicense: foundation.licenses.require,
  });
  const pubsub = createPubsubEntry({ options, persistent, hub, requireOpen });
  const topicStreams = createTopicStreamService({ open: createTopicStreams(hub, pubsub) });
  return {
    hub,
    pubsub,
    rooms: { cluster, configuration, systemAlerts, session, discovery, topicStreams },
  };
}

function loginModeOf(auth: Authenticator | 'none' | undefined): LoginMode {
  if (auth === 'none') return { kind: 'everybody', identity: everybodysIdentity() };
  if (!auth?.sessions) return { kind: 'elsewhere' };
  return { kind: 'sessions', sessions: auth.sessions, isLockable: auth.usesLocalPasswords ?? false };
}
