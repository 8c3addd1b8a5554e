import { Agent } from 'node:http';
import type { ForwardLimits } from '../../forwarding/exchange.js';
import { type ForwardingRules, forward } from '../../forwarding/forward.js';
import { normalRest } from '../../forwarding/path.js';
import { foreignOrigin } from '../../http/origin.js';
import { ForeignOrigin } from '../../http/protocol-errors.js';
import type { GatewayRequest, GatewayResponse } from '../../http/request.js';
import type { Call } from '../../http/route.js';
import { NotFound } from '../../model/errors.js';
import type { ServiceTarget, ServiceTargets } from '../services/service.js';
import { servicePath } from './paths.js';
import { replacing } from './replacements.js';
import { createTunnels, type TunnelLimits, type Tunnels } from './tunnels.js';

/** Sends calls on to services: pages for people, and WebSockets. */
export interface ServiceProxy {
  /** `rest` begins with the name of a service. Rejects as `forward` does. */
  toService(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
  /** WebSockets to services that are open. */
  readonly tunnels: Pick<Tunnels, 'sessionEnded' | 'rightsChanged' | 'closeAll'>;
  /** Idempotent. */
  close(): void;
}

export function createServiceProxy(deps: {
  /** Absent: there are no services. */
  readonly services: ServiceTargets | undefined;
  /** As in `Authenticator`. */
  readonly ownCookies: readonly string[] | undefined;
  /** In small letters. */
  readonly ownHeaders: ReadonlySet<string>;
  readonly origins: readonly string[];
  readonly limits: ForwardLimits & TunnelLimits;
}): ServiceProxy {
  const { services, ownCookies, ownHeaders, origins, limits } = deps;
  const rules: ForwardingRules = { passing: 'web', ownHeaders, isRefused: () => false, limits };
  const tunnels = createTunnels(limits);
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 });

  function send(request: GatewayRequest, target: ServiceTarget, mount: string, rest: string) {
    const { base, requestHeaders, replaceStrings, followRedirect } = target;
    return forward(request, {
      rules,
      what: `The service ${target.name}`,
      mount: `/proxy/services/${mount}`,
      rest,
      web: { followsRedirects: followRedirect && !request.isUpgrade, ownCookies, origins },
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

  return {
    async toService(call, path, request) {
      const { mount, name, rest } = servicePath(normalRest(path));
      if (!services || name === undefined) throw new NotFound('service', mount.slice(0, 128));
      const target = await services.target(name);
      if (rest === undefined) return toItsSlash(mount, request.url);
      const open = () => send(request, target, mount, rest);
      if (!request.isUpgrade) return open();
      // No page of another origin may open a WebSocket: nothing else would tell it from ours.
      const origin = foreignOrigin(request, origins);
      if (origin !== undefined) throw new ForeignOrigin(origin);
      return tunnels.open(call.user, open);
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
