import { authentication } from '../http/authentication.js';
import type { Capability } from '../http/capabilities.js';
import { createDispatch, type Dispatch } from '../http/dispatch.js';
import { ForwardedRequest, headersFor } from '../http/forwarded-request.js';
import type { Table } from '../http/table.js';
import { clientBehind } from '../http/trusted-proxies.js';
import { answerCounter } from '../instrumentation.js';
import type { GatewayOptions } from '../options.js';
import type { PersistentScope } from '../persistent-scope.js';
import type { Hub } from '../pubsub/hub.js';
import { createUpgradeHandler, type UpgradeHandler } from '../pubsub/upgrade-handler.js';

/**
 * Where callers come in: with requests, and with sockets. Both are told apart from strangers by the same rules, and from here on
 * all see the client, whatever proxies it came through.
 */
export function createEntryPoints({
  options,
  persistent,
  table,
  hub,
  capabilities,
  requireOpen,
}: {
  readonly options: GatewayOptions;
  readonly persistent: PersistentScope;
  readonly table: Table;
  readonly hub: Hub;
  readonly capabilities: ReadonlySet<Capability>;
  /** Throws `NotReady` when the gateway has been closed. */
  readonly requireOpen: () => void;
}): { readonly handle: Dispatch; readonly pubsub: UpgradeHandler } {
  const { properties, licenses, clock, logger } = persistent.foundation;
  const { authenticator, accounts, credentials } = persistent.identity;
  const { principalOf } = accounts;
  const { limits, trustedPublishers = [] } = options.pubsub ?? {};
  const authenticate = authentication(options.auth);
  const challenge = () => authenticator?.challenge?.();
  const origins = options.origins ?? [];
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
    challenge,
    origins,
    trustedPublishers,
    ...(limits ? { limits } : {}),
  });
  const handle = createDispatch({
    table,
    requireOpen,
    authenticate,
    principalOf,
    challenge,
    requireLicense: licenses.require,
    onAnswered: answerCounter(persistent.metrics),
    trace: persistent.services.audit,
    authorize: options.authorize?.operation?.bind(options.authorize),
    driverName: options.cluster.name,
    capabilities,
    origins,
    isOpenToAllOrigins: () => properties.value('platform.gateway.allowCrossOrigin') === 'true',
    logger,
    clock,
  });
  return throughProxies(options.trustProxy, { handle, pubsub });
}

/** What they say is read here and nowhere else, whichever host and framework it came to. */
function throughProxies(
  trustProxy: GatewayOptions['trustProxy'],
  { handle, pubsub }: { readonly handle: Dispatch; readonly pubsub: UpgradeHandler },
): { readonly handle: Dispatch; readonly pubsub: UpgradeHandler } {
  const clientOf = clientBehind(trustProxy);
  if (clientOf === undefined) return { handle, pubsub };
  return {
    handle(request) {
      const client = clientOf(request);
      return handle(client ? new ForwardedRequest(request, client) : request);
    },
    pubsub: {
      limits: pubsub.limits,
      accept(request) {
        const client = clientOf(request);
        if (client === undefined) return pubsub.accept(request);
        const { remoteAddress, isSecure = request.isSecure ?? false } = client;
        return pubsub.accept({
          ...request,
          remoteAddress,
          isSecure,
          headers: headersFor(request.headers, client),
        });
      },
    },
  };
}
