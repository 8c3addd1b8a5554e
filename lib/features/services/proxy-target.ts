import { BadRequest, NotFound, NotReady } from '../../model/errors.js';
import type { Resolve } from './kinds/kind.js';
import { baseOf } from './proxy-address.js';
import type { ReplaceString } from './schema.js';
import type { Supervisor } from './supervision/supervisor.js';
import type { Supervisors } from './supervision/supervisors.js';

/** Where a running service listens, and how it wants to be called: variables are replaced. */
export interface ServiceTarget {
  /** Of the service, also when it was asked for by its other name. */
  readonly name: string;
  /** `http:`; its path ends with a slash. */
  readonly base: URL;
  /** The gateway follows redirects itself. */
  readonly followRedirect: boolean;
  /** Added to each request; they outdo what the client sent. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** In this order; their patterns were checked when the definition came in. */
  readonly replaceStrings: readonly ReplaceString[];
}

export interface ServiceTargets {
  /**
   * By name, or by `proxy.name`. Rejects with `NotFound` for an unknown service and for one without a proxy address, with
   * `NotReady` while it does not run, and while a variable has no value: what runs may not have told it yet. With
   * `BadRequest` where its address can't be understood. Costs nothing: what is known is told, and nobody is asked.
   */
  target(name: string): Promise<ServiceTarget>;
}

export async function serviceTargetOf(
  supervisors: Supervisors,
  asked: string,
  resolver: (name: string) => Resolve,
): Promise<ServiceTarget> {
  const { name, stored } =
    supervisors.get(asked) ??
    supervisors.all().find((one) => isCalled(one, asked)) ??
    supervisors.require(asked);
  const { proxy } = stored.definition;
  if (!proxy) throw new NotFound('proxy address of the service', name);
  if (stored.state !== 'RUNNING')
    throw new NotReady(`The service ${name} does not run: it is ${stored.state}`);
  const resolve = (text: string) =>
    resolver(name)(text).catch((error: unknown) => {
      throw error instanceof BadRequest
        ? new NotReady(`The service ${name} can't be reached now: ${error.message}`)
        : error;
    });
  const requestHeaders: Record<string, string> = {};
  for (const [header, value] of Object.entries(proxy.requestHeaders ?? {}))
    requestHeaders[header] = await resolve(value);
  return {
    name,
    base: baseOf(await resolve(proxy.address)),
    followRedirect: proxy.followRedirect,
    requestHeaders,
    replaceStrings: proxy.replaceStrings ?? [],
  };
}

const isCalled = ({ stored }: Supervisor, name: string) => stored.definition.proxy?.name === name;
