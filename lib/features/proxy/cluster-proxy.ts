import { isSecretName } from '../../formats/secret-names.js';
import type { ForwardLimits } from '../../forwarding/exchange.js';
import { type ForwardingRules, forward } from '../../forwarding/forward.js';
import { normalRest } from '../../forwarding/path.js';
import { redactSecrets } from '../../forwarding/redact.js';
import { facetOf, resourceManagerFacetOf } from '../../http/capabilities.js';
import { onHangUp } from '../../http/hang-up.js';
import type { GatewayRequest, GatewayResponse } from '../../http/request.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { ForwardTarget } from '../../interfaces/forwarder.js';
import { Conflict, NotFound, NotReady, UnusableAnswer } from '../../model/errors.js';
import type { Timeouts } from '../../model/timeouts.js';
import { within } from '../../runtime/with-timeout.js';
import type { Applications } from '../applications/service.js';
import { masterPath } from './paths.js';

/** Sends calls on to the APIs of the cluster itself, in the gateway's name. */
export interface ClusterProxy {
  /** Rejects as `forward` does. `rest`: undecoded. */
  toManager(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
  /** `rest` begins with the id of an application, which may stand behind `applications/`. */
  toMaster(call: Call, rest: string, request: GatewayRequest): Promise<GatewayResponse>;
}

export function createClusterProxy(deps: {
  readonly cluster: ClusterDriver;
  readonly applications: Applications;
  readonly timeouts: Pick<Timeouts, 'resourceManagerMillis'>;
  /** In small letters. */
  readonly ownHeaders: ReadonlySet<string>;
  readonly limits: ForwardLimits;
}): ClusterProxy {
  const { cluster, applications, timeouts, ownHeaders, limits } = deps;
  const rules: ForwardingRules = { passing: 'api', ownHeaders, isRefused: isIdentity, limits };

  /** Who may only see an application may only ask. */
  function masterOf(call: Call, appId: string, method: string): Promise<ForwardTarget> {
    const ask = method === 'GET' || method === 'HEAD' ? applications.reading : applications.changing;
    return ask(call, appId, (master, options) => facetOf(cluster, master, 'forwarder').target(options));
  }

  return {
    async toManager(_call, rest, request) {
      const forwarder = resourceManagerFacetOf(cluster, 'forwarder');
      return forward(request, {
        rules,
        what: 'The resource manager',
        mount: '/proxy/rm/v1',
        rest: normalRest(rest),
        target: () =>
          within(
            timeouts.resourceManagerMillis,
            'The resource manager',
            (end) => onHangUp(request, () => end(request.signal.reason)),
            (limit) => forwarder.target(limit),
          ).catch(notRunning),
      });
    },

    async toMaster(call, path, request) {
      const master = masterPath(normalRest(path));
      if (!master) throw new NotFound('application', path.slice(0, 100));
      const { appId, mount, rest } = master;
      return forward(request, {
        rules,
        what: `The master of ${appId}`,
        mount: `/proxy/master/v2/${mount}`,
        rest,
        filter: (answer) => filterOfMaster(answer, appId),
        target: () => masterOf(call, appId, request.method).catch(notRunning),
      });
    },
  };
}

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
