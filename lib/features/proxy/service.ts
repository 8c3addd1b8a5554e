import { facetOf, resourceManagerFacetOf } from '../../core/capabilities.js';
import { within } from '../../core/deadline.js';
import { Conflict, NotFound, NotReady } from '../../core/errors.js';
import type { ForwardLimits } from '../../core/forwarding/exchange.js';
import { forward } from '../../core/forwarding/forward.js';
import { normalRest } from '../../core/forwarding/path.js';
import { secretsGone } from '../../core/forwarding/secrets-gone.js';
import type { Patience } from '../../core/patience.js';
import type { GatewayRequest, GatewayResponse } from '../../core/request.js';
import type { Call } from '../../core/route.js';
import { isSecretName } from '../../core/secrets.js';
import type { ClusterDriver, ForwardTarget } from '../../interfaces/cluster.js';
import type { Applications } from '../applications/service.js';

export interface ProxyService {
  /** Rejects as `forward` does. `rest`: undecoded. */
  toManager(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
  /** `rest` begins with the id of an application, which may stand behind `applications/`. */
  toMaster(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
}

export const defaultForwardLimits: ForwardLimits = {
  connectMillis: 5000,
  answerMillis: 60_000,
  idleMillis: 120_000,
};

export function createProxyService(deps: {
  cluster: ClusterDriver;
  applications: Applications;
  patience: Pick<Patience, 'resourceManagerMillis'>;
  limits?: Partial<ForwardLimits> | undefined;
}): ProxyService {
  const { cluster, applications, patience } = deps;
  const limits = { ...defaultForwardLimits, ...deps.limits };

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
        isRefused: isIdentity,
        limits,
        target: () =>
          within(patience.resourceManagerMillis, what, signal, (limited) =>
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
        isRefused: isIdentity,
        limits,
        filter: ({ contentType }) => (isJson.test(contentType) ? secretsGone(isSecretOfEngine) : undefined),
        target: () => masterOf(call, appId, request.method),
      });
    },
  };
}

/** Hadoop's ways of saying in a URL who one is: the gateway may be trusted to be anybody, its clients are not. */
const isIdentity = (parameter: string): boolean =>
  /^(user\.name|doas|delegation|token|proxyuser)$/i.test(parameter);

/** `engine-on-yarn.md` 0: masters tell passwords in the open. */
const isSecretOfEngine = (name: string): boolean => isSecretName(name) || name === 'SSL_CONFIG';

const isJson = /^application\/([\w.-]+\+)?json\b/i;

/** `resolved-gaps.md` 4.10: 503, not 409: it is not the request that is wrong. */
function notRunning(error: unknown): never {
  throw error instanceof Conflict ? new NotReady(error.message) : error;
}
