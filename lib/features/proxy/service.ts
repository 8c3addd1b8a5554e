import { Agent } from 'node:http';
import { decoded } from '../../formats/percent.js';
import { isSecretName } from '../../formats/secret-names.js';
import type { ForwardLimits } from '../../forwarding/exchange.js';
import { forward } from '../../forwarding/forward.js';
import { normalRest } from '../../forwarding/path.js';
import { redactSecrets } from '../../forwarding/redact.js';
import { facetOf, resourceManagerFacetOf } from '../../http/capabilities.js';
import { foreignOrigin } from '../../http/origin.js';
import { ForeignOrigin } from '../../http/protocol-errors.js';
import type { GatewayRequest, GatewayResponse } from '../../http/request.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { ForwardTarget } from '../../interfaces/forwarder.js';
import { Conflict, NotFound, NotReady, UnusableAnswer } from '../../model/errors.js';
import type { Timeouts } from '../../model/timeouts.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { Applications } from '../applications/service.js';
import type { ServiceTarget, ServiceTargets } from '../services/service.js';
import { replacing } from './replacements.js';
import { createTunnels, defaultTunnelLimits, type TunnelLimits, type Tunnels } from './tunnels.js';

export interface ProxyService {
  /** Rejects as `forward` does. `rest`: undecoded. */
  toManager(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
  /** `rest` begins with the id of an application, which may stand behind `applications/`. */
  toMaster(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
  /** `rest` begins with the name of a service. */
  toService(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
  /** WebSockets to services that are open. */
  readonly tunnels: Pick<Tunnels, 'sessionEnded' | 'rightsChanged' | 'closeAll'>;
  /** Idempotent. */
  close(): void;
}

export interface ProxyOptions {
  readonly limits?: Partial<ForwardLimits & TunnelLimits>;
}

export const defaultForwardLimits: ForwardLimits = {
  connectMillis: 5000,
  answerMillis: 60_000,
  idleMillis: 120_000,
};

export function createProxyService(deps: {
  cluster: ClusterDriver;
  applications: Applications;
  timeouts: Pick<Timeouts, 'resourceManagerMillis'>;
  /** Absent: there are no services. */
  services?: ServiceTargets | undefined;
  /** As in `Authenticator`. */
  ownCookies: readonly string[] | undefined;
  /** As in `Authenticator`. */
  ownHeaders: readonly string[];
  origins: readonly string[];
  options?: ProxyOptions | undefined;
}): ProxyService {
  const { cluster, applications, timeouts, services, ownCookies, origins } = deps;
  const limits = { ...defaultForwardLimits, ...defaultTunnelLimits, ...deps.options?.limits };
  const ownHeaders = new Set(deps.ownHeaders.map((name) => name.toLowerCase()));
  const tunnels = createTunnels(limits);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 });

  function forwardToService(request: GatewayRequest, target: ServiceTarget, named: string, rest: string) {
    const { base, requestHeaders, replaceStrings, followRedirect } = target;
    return forward(request, {
      what: `The service ${target.name}`,
      mount: `/proxy/services/${named}`,
      rest,
      passing: 'web',
      ownHeaders,
      web: { followsRedirects: followRedirect && !request.isUpgrade, ownCookies, origins },
      isRefused: () => false,
      limits,
      ...(replaceStrings.length === 0 || request.isUpgrade
        ? {}
        : { filter: ({ contentType }) => replacing(replaceStrings, { contentType, path: `/${rest}` }) }),
      target: async () => ({
        base,
        agent,
        headers: async () => lowerCased(requestHeaders),
        failed: () => {},
      }),
    });
  }

  /** No page of another origin may open one: nothing else would tell it from ours. */
  async function openTunnel(call: Call, request: GatewayRequest, open: () => Promise<GatewayResponse>) {
    const origin = foreignOrigin(request, origins);
    if (origin !== undefined) throw new ForeignOrigin(origin);
    const place = tunnels.reserve(call.user);
    try {
      const response = await open();
      if (response.tunnel) place.opened(response.tunnel);
      else place.giveBack();
      return response;
    } catch (error) {
      place.giveBack();
      throw error;
    }
  }

  /** Who may only see an application may only ask. */
  function masterOf(call: Call, appId: string, method: string): Promise<ForwardTarget> {
    const asked = method === 'GET' || method === 'HEAD' ? applications.reading : applications.changing;
    return asked(call, appId, (master, options) =>
      facetOf(cluster, master, 'forwarder').target(options),
    ).catch(notRunning);
  }

  return {
    async toManager({ signal }, rest, request) {
      const what = 'The resource manager';
      const forwarder = resourceManagerFacetOf(cluster, 'forwarder');
      return forward(request, {
        what,
        mount: '/proxy/rm/v1',
        rest: normalRest(rest),
        passing: 'api',
        ownHeaders,
        isRefused: isIdentity,
        limits,
        target: () =>
          withTimeout(timeouts.resourceManagerMillis, what, signal, (limited) =>
            forwarder.target({ signal: limited }),
          ).catch(notRunning),
      });
    },

    async toMaster(call, rest, request) {
      const [, mount = '', appId = '', , behind = ''] =
        /^((?:applications\/)?([^/]+))(\/(.*))?$/s.exec(normalRest(rest)) ?? [];
      if (appId === '' || appId === 'applications') throw new NotFound('application', rest.slice(0, 100));
      return forward(request, {
        what: `The master of ${appId}`,
        mount: `/proxy/master/v2/${mount}`,
        rest: behind,
        passing: 'api',
        ownHeaders,
        isRefused: isIdentity,
        limits,
        filter: (answer) => filterOfMaster(answer, appId),
        target: () => masterOf(call, appId, request.method),
      });
    },

    async toService(call, rest, request) {
      const [, named = '', slash, behind = ''] = /^([^/]*)(\/)?(.*)$/s.exec(normalRest(rest)) ?? [];
      const name = decoded(named);
      if (!services || name === undefined) throw new NotFound('service', named.slice(0, 128));
      const target = await services.target(name);
      if (slash === undefined) return toItsSlash(named, request.url);
      const send = () => forwardToService(request, target, named, behind);
      return request.isUpgrade ? openTunnel(call, request, send) : send();
    },

    tunnels,
    close() {
      tunnels.closeAll();
      agent.destroy();
    },
  };
}

/** Relative references of a page need the slash; the place is relative itself, whatever stands in front of us. */
function toItsSlash(named: string, url: string): GatewayResponse {
  const query = url.indexOf('?');
  const location = `./${named}/${query < 0 ? '' : url.slice(query)}`;
  return { status: 307, headers: { location }, body: '' };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Hadoop's ways of saying in a URL who one is: the gateway may be trusted to be anybody, its clients are not. */
const isIdentity = (parameter: string): boolean =>
  /^(user\.name|doas|delegation|token|proxyuser)$/i.test(parameter);

/** Masters on YARN tell passwords in the open. */
const isSecretOfEngine = (name: string): boolean => isSecretName(name) || name === 'SSL_CONFIG';

const isJson = /^application\/([\w.-]+\+)?json\b/i;

/**
 * Whatever nobody could take the secrets from is not passed on: a client may ask a master for XML. Pages about errors and redirects are,
 * as all of these are.
 */
function filterOfMaster(answer: { readonly status: number; readonly contentType: string }, appId: string) {
  const { status, contentType } = answer;
  if (contentType === '' || isJson.test(contentType)) return redactSecrets(isSecretOfEngine);
  if (status >= 300 || /^text\/plain\b/i.test(contentType)) return undefined;
  throw new UnusableAnswer(`The master of ${appId}`, 'answered with something that is neither JSON nor text');
}

/** `docs/decisions.md`, 503 for what does not run. */
function notRunning(error: unknown): never {
  throw error instanceof Conflict ? new NotReady(error.message) : error;
}
