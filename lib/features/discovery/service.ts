import type { Capability } from '../../http/capabilities.js';
import { openApi } from '../../http/openapi.js';
import { anonymous, may, type Principal } from '../../http/principal.js';
import type { LicenseNeeds, Route } from '../../http/route.js';
import type { ListedRoute } from '../../http/table.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Storage } from '../../interfaces/storage.js';
import { asGatewayError } from '../../model/errors.js';
import { createHealth } from './health.js';
import type { AsyncApiDocument, Capabilities, Health, OpenApiDocument } from './schema.js';

export interface DiscoveryService {
  openApi(): Promise<OpenApiDocument>;
  asyncApi(): AsyncApiDocument;
  /** `paths`: whether methods and paths are told too. */
  capabilities(user: Principal, options: { readonly paths: boolean }): Promise<Capabilities>;
  health(): Promise<Health>;
}

export function createDiscoveryService(deps: {
  /** Of all rooms: asked when needed. */
  loadRoutes: () => Promise<readonly ListedRoute[]>;
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

  async function unlicensed(route: LicenseNeeds): Promise<string | undefined> {
    if (!route.licensed && !route.lockable) return undefined;
    try {
      await deps.requireLicense(route);
      return undefined;
    } catch (error) {
      return asGatewayError(error).message;
    }
  }

  /** The examples are as large as the rest, and loaded by who asks for them. */
  async function documented(): Promise<OpenApiDocument> {
    const { examples } = await import('./examples.js');
    return { openapi: '3.1.0', ...(await openApi(await deps.loadRoutes(), deps.about, examples)) };
  }

  return {
    openApi() {
      document ??= documented().catch((error: unknown) => {
        document = undefined;
        throw error;
      });
      return document;
    },

    asyncApi() {
      topicDocument ??= deps.asyncApi();
      return topicDocument;
    },

    async capabilities(user, { paths }) {
      const operations: Capabilities['operations'] = [];
      for (const { id, route } of await deps.loadRoutes()) {
        const reason = whyNot(route, user, deps.capabilities) ?? (await unlicensed(route));
        operations.push({
          id,
          ...(paths ? { method: route.method, path: route.path } : {}),
          allowed: reason === undefined,
          ...(reason === undefined ? {} : { reason }),
        });
      }
      return { driver: deps.cluster.name, capabilities: [...deps.capabilities].sort(), operations };
    },

    health: createHealth({ ...deps, otherReasons: deps.healthReasons }),
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
