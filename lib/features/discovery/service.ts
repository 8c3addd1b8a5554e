import type { Capability } from '../../http/capabilities.js';
import { openApi } from '../../http/openapi.js';
import { anonymous, may, type Principal } from '../../http/principal.js';
import type { LicenseNeeds, Route } from '../../http/route.js';
import type { ListedRoute } from '../../http/table.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Storage } from '../../interfaces/storage.js';
import { asGatewayError } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { AsyncApiDocument, Capabilities, Health, OpenApiDocument } from './schema.js';

/** The answer of `health` waits no longer for the cluster. */
const healthMillis = 2000;

export interface DiscoveryService {
  openApi(): Promise<OpenApiDocument>;
  asyncApi(): AsyncApiDocument;
  capabilities(user: Principal): Promise<Capabilities>;
  health(): Promise<Health>;
}

export function createDiscoveryService(deps: {
  /** Asked when needed: the table holds this room too. */
  routes: () => readonly ListedRoute[];
  /** Of the documents. */
  about: Parameters<typeof openApi>[1];
  /** Made when it is asked for first. */
  asyncApi: () => AsyncApiDocument;
  cluster: ClusterDriver;
  capabilities: ReadonlySet<Capability>;
  storage: Storage;
  /** What other rooms know of. */
  healthReasons: () => Promise<Health['reasons']>;
  /** Rejects with what the license lacks. */
  requireLicense: (needs: LicenseNeeds) => Promise<void> | void;
}): DiscoveryService {
  let document: Promise<OpenApiDocument> | undefined;
  let topicDocument: AsyncApiDocument | undefined;

  let reaching: Promise<boolean> | undefined;
  /** Anybody may ask, so all who do at once share one question. */
  function reach(): Promise<boolean> {
    reaching ??= withTimeout(healthMillis, 'The cluster', undefined, (signal) =>
      deps.cluster.resourceManager.about({ signal }),
    )
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        reaching = undefined;
      });
    return reaching;
  }

  async function unlicensed(route: LicenseNeeds): Promise<string | undefined> {
    if (!route.licensed && !route.lockable) return undefined;
    try {
      await deps.requireLicense(route);
      return undefined;
    } catch (error) {
      return asGatewayError(error).message;
    }
  }

  return {
    openApi() {
      document ??= openApi(deps.routes(), deps.about).then((made) => ({ openapi: '3.1.0', ...made }));
      return document;
    },

    asyncApi() {
      topicDocument ??= deps.asyncApi();
      return topicDocument;
    },

    async capabilities(user) {
      const operations: Capabilities['operations'] = [];
      for (const { id, route } of deps.routes()) {
        const reason = whyNot(route, user, deps.capabilities) ?? (await unlicensed(route));
        operations.push({
          id,
          method: route.method,
          path: route.path,
          allowed: reason === undefined,
          ...(reason === undefined ? {} : { reason }),
        });
      }
      return { driver: deps.cluster.name, capabilities: [...deps.capabilities].sort(), operations };
    },

    async health() {
      const reasons: Health['reasons'] = [];
      const problems = deps.storage.problems();
      const damaged = problems.filter(({ kind }) => kind !== 'store').length;
      // Anybody may ask, so nothing that is kept is named here; `config/issues` names it.
      if (damaged > 0)
        reasons.push({ part: 'storage', message: `${damaged} documents or blobs are damaged` });
      if (damaged < problems.length)
        reasons.push({ part: 'storage', message: 'The storage lost writes, or its disk refuses them now' });
      const [isReachable, others] = await Promise.all([reach(), deps.healthReasons()]);
      if (!isReachable)
        reasons.push({ part: 'cluster', message: `The ${deps.cluster.name} cluster can't be reached` });
      reasons.push(...others);
      return { status: reasons.length === 0 ? 'ok' : 'degraded', reasons };
    },
  };
}

function whyNot(
  route: Route<unknown>,
  user: Principal,
  capabilities: ReadonlySet<Capability>,
): string | undefined {
  if (route.requires && !capabilities.has(route.requires)) return `The driver lacks ${route.requires}`;
  if (route.access === 'public') return undefined;
  if (user === anonymous) return 'Log in first';
  if (route.access === 'admin') return user.isAdmin ? undefined : 'Needs an administrator';
  if (route.access === 'user' || may(user, route.access)) return undefined;
  return `Needs the permission ${route.access}`;
}
