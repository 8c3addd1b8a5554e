import { createRequestEntry } from './composition/entry-points.js';
import { createRestartableServices } from './composition/restartable-services.js';
import type { Services } from './composition/services.js';
import { capabilitiesOf } from './http/capabilities.js';
import type { Dispatch } from './http/dispatch.js';
import { ownPrefixes, type Table, tableOf } from './http/table.js';
import { readAlerts, readHub } from './instrumentation.js';
import type { GatewayOptions } from './options.js';
import type { PersistentScope } from './persistent-scope.js';
import type { Hub } from './pubsub/hub.js';
import type { UpgradeHandler } from './pubsub/upgrade-handler.js';
import { bindRooms } from './room-loading.js';
import { routePlaces } from './route-places.js';
import type { Teardown } from './runtime/teardown.js';

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
  /** Its own: it is ended with this run. */
  readonly teardown: Teardown;
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
  teardown,
  start,
  requireOpen,
  restart,
}: RestartableScopeOptions): RestartableScope {
  const { foundation, identity, metrics } = persistent;
  const { authenticator, accounts, tokenStore } = identity;
  const { audit, proxy } = persistent.services;
  const capabilities = capabilitiesOf(options.cluster);
  const { hub, pubsub, rooms } = createRestartableServices({
    options,
    persistent,
    start,
    capabilities,
    restart,
    requireOpen,
  });
  const { configuration, systemAlerts } = rooms;
  const services: Services = { ...persistent.services, ...rooms };
  const table = tableOf(routePlaces, bindRooms(services), {
    keeps: options.unknownPaths === 'host' ? [] : ownPrefixes,
  });
  readHub(metrics, hub);
  readAlerts(metrics, systemAlerts);
  const handle = createRequestEntry({ options, persistent, table, capabilities, requireOpen });

  const sessionEnded = (sessionId: string) => {
    hub.sessionEnded(sessionId);
    proxy.tunnels.sessionEnded(sessionId);
  };

  teardown.add('rights of sockets', accounts.onRightsChanged(hub.rightsChanged));
  teardown.add('rights of tunnels', accounts.onRightsChanged(proxy.tunnels.rightsChanged));
  teardown.add('sockets of tokens', tokenStore.onEnd(sessionEnded));
  teardown.add(
    'the topic of the audit',
    audit.onRecord((record) => hub.publish('audit', () => JSON.stringify(record))),
  );
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
        verifyToken: tokenStore.verify,
        verifyBy: accounts.provisioning.verifyBy,
        negotiateBy: accounts.provisioning.negotiateBy,
        configuration: configured.configuration,
        reportProblem: configuration.authFailed,
        clock: foundation.clock,
        logger: foundation.logger,
      });
      // Not before: one that belongs to another gateway refuses to be opened, and must not be closed under it.
      teardown.add('the authenticator', () => authenticator?.close?.());
      teardown.add('sockets of sessions', authenticator?.sessions?.onEnd(sessionEnded) ?? (() => {}));
      teardown.add('system alerts', systemAlerts.close);
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
