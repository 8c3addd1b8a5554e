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
import { createUpgradeHandler, type PubsubEntry } from '../pubsub/upgrade-handler.js';
import { KnownUpgrade, type UpgradeRequest } from '../pubsub/upgrade-request.js';

// Where callers come in: with sockets, and with requests. Both are told apart from strangers by the same rules, and from here on
// all see the client, whatever proxies it came through: what those say is read here and nowhere else.

interface EntryOptions {
  readonly options: GatewayOptions;
  readonly persistent: PersistentScope;
  /** Throws `NotReady` when the gateway has been closed. */
  readonly requireOpen: () => void;
}

export function createPubsubEntry({
  options,
  persistent,
  hub,
  requireOpen,
}: EntryOptions & { readonly hub: Hub }): PubsubEntry {
  const { authenticator, accounts, credentials } = persistent.identity;
  const { principalOf } = accounts;
  const { limits, trustedPublishers = [] } = options.pubsub ?? {};
  const authenticate = authentication(options.auth);
  const entry = createUpgradeHandler({
    hub,
    logger: persistent.foundation.logger,
    requireOpen,
    authenticate: async (request) => (await credentials.authenticate(request)) ?? authenticate(request),
    principalOf: (identity) =>
      credentials.applicationOf(identity) === undefined
        ? principalOf(identity)
        : credentials.principalOf(identity),
    applicationOf: credentials.applicationOf,
    onUse: (sessionId) => authenticator?.sessions?.touch(sessionId) ?? true,
    challenge: () => authenticator?.challenge?.(),
    origins: options.origins ?? [],
    trustedPublishers,
    ...(limits ? { limits } : {}),
  });
  const clientOf = clientBehind(options.trustProxy);
  if (clientOf === undefined) return entry;
  const asSent = (request: UpgradeRequest): UpgradeRequest => {
    const client = clientOf(request);
    if (client === undefined) return request;
    const { remoteAddress, isSecure = request.isSecure ?? false } = client;
    return new KnownUpgrade(request, {
      remoteAddress,
      isSecure,
      headers: headersFor(request.headers, client),
    });
  };
  return {
    ...entry,
    accept: (request) => entry.accept(asSent(request)),
    answeredElsewhere: (request) => entry.answeredElsewhere(asSent(request)),
    failed: (request, thrown) => entry.failed(asSent(request), thrown),
  };
}

export function createRequestEntry({
  options,
  persistent,
  table,
  capabilities,
  requireOpen,
}: EntryOptions & { readonly table: Table; readonly capabilities: ReadonlySet<Capability> }): Dispatch {
  const { properties, licenses, clock, logger } = persistent.foundation;
  const { authenticator, accounts } = persistent.identity;
  const dispatch = createDispatch({
    table,
    requireOpen,
    authenticate: authentication(options.auth),
    principalOf: accounts.principalOf,
    challenge: () => authenticator?.challenge?.(),
    requireLicense: licenses.require,
    onAnswered: answerCounter(persistent.metrics),
    trace: persistent.services.audit,
    authorize: options.authorize?.operation?.bind(options.authorize),
    driverName: options.cluster.name,
    capabilities,
    origins: options.origins ?? [],
    isOpenToAllOrigins: () => properties.value('platform.gateway.allowCrossOrigin') === 'true',
    logger,
    clock,
  });
  const clientOf = clientBehind(options.trustProxy);
  if (clientOf === undefined) return dispatch;
  return (request) => {
    const client = clientOf(request);
    return dispatch(client ? new ForwardedRequest(request, client) : request);
  };
}
