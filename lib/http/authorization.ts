import type { CallerRequest, Identity } from '../interfaces/auth.js';
import type { HostRules, OperationQuestion } from '../interfaces/authorize.js';
import { Forbidden, NotLoggedIn, NotSupported, Unreachable } from '../model/errors.js';
import { type Authenticate, nobodyUnlessRefused } from './authentication.js';
import type { Capability } from './capabilities.js';
import { isOfItsPageAlone } from './cross-origin.js';
import { foreignOrigin } from './origin.js';
import { anonymous, may, type Principal } from './principal.js';
import { ForeignOrigin } from './protocol-errors.js';
import type { GatewayRequest } from './request.js';
import type { Called } from './request-context.js';
import type { LicenseNeeds, Route } from './route.js';

export interface AdmissionOptions {
  readonly authenticate: Authenticate;
  /** What an identity may do now; throws `Forbidden` for one that may not come in. */
  readonly principalOf: (identity: Identity) => Principal;
  /** Asked where an operation needs something of the license; rejects with what the license lacks. */
  readonly requireLicense: (needs: LicenseNeeds) => Promise<void> | void;
  /** The host's own rule for operations. Default: none. */
  readonly authorize?: HostRules['operation'] | undefined;
  readonly driverName: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** Whole origins that may send changes besides our own. */
  readonly origins: readonly string[];
  /** Whether pages of all origins may call with tokens of their own. Default: they may not. */
  readonly isOpenToAllOrigins?: () => boolean;
}

/** Who is calling; `anonymous` where nobody has to log in. */
export async function userOf(
  { authenticate, principalOf }: AdmissionOptions,
  caller: CallerRequest,
  route: Route<unknown>,
): Promise<Principal> {
  try {
    const identity = await authenticate(caller);
    return identity ? principalOf(identity) : anonymous;
  } catch (error) {
    if (route.access !== 'public') throw error;
    return nobodyUnlessRefused(error) ?? anonymous;
  }
}

/** Throws `ForeignOrigin` for a change that a page of another site asks for. */
export function refuseForeignOrigin(options: AdmissionOptions, request: GatewayRequest): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const origin = foreignOrigin(request, options.origins);
  if (origin === undefined) return;
  if (options.isOpenToAllOrigins?.() && isOfItsPageAlone(request.headers)) return;
  throw new ForeignOrigin(origin);
}

/** Throws, or rejects, unless this user may do this operation, and it can be done here; `undefined`: this user may. */
export function admit(
  options: AdmissionOptions,
  match: Called,
  user: Principal,
  caller: CallerRequest,
): Promise<void> | undefined {
  const { route } = match.bound;
  requireAccess(route, user);
  const asksSomebody = options.authorize || route.licensed || route.lockable || route.requires;
  return asksSomebody ? requireRest(options, match, user, caller) : undefined;
}

async function requireRest(
  options: AdmissionOptions,
  { bound, params }: Called,
  user: Principal,
  caller: CallerRequest,
): Promise<void> {
  const { route } = bound;
  if (options.authorize) {
    const { method, path } = route;
    await requireHost(options.authorize, {
      kind: 'operation',
      operation: bound.id,
      method,
      path,
      params,
      user,
      caller,
    });
  }
  if (route.licensed || route.lockable) await options.requireLicense(route);
  if (route.requires && !options.capabilities.has(route.requires)) {
    throw new NotSupported(options.driverName, route.requires);
  }
}

function requireAccess(route: Route<unknown>, user: Principal): void {
  if (route.access === 'public') return;
  if (user === anonymous) throw new NotLoggedIn();
  if (route.access === 'user') return;
  if (route.access === 'admin') {
    if (!user.isAdmin) throw new Forbidden('Only an administrator may do this');
  } else if (!may(user, route.access)) {
    throw new Forbidden(`This needs the permission ${route.access}`, { permission: route.access });
  }
}

/** After our own rights, so the host can only take away. */
async function requireHost(
  authorize: NonNullable<HostRules['operation']>,
  question: OperationQuestion,
): Promise<void> {
  let isAllowed: boolean;
  try {
    isAllowed = await authorize(question);
  } catch (error) {
    throw new Unreachable("The host's permission check", error);
  }
  if (isAllowed !== true) throw new Forbidden('The host of this gateway does not allow it');
}
