import { Conflict, type HttpClient, UnusableAnswer } from 'headgate/driver-kit';
import * as z from 'zod';
import type { Sighting } from '../manager/reports.js';
import { readAnswer } from '../wire/json.js';

/** Where a master is, as of one attempt. */
export interface MasterAddress {
  /** `http://node:41234/ws/v2/stram` */
  readonly base: string;
  readonly cookie: string | undefined;
  readonly attempt: string;
}

const Version = z.object({ version: z.string() });
const Whereabouts = z.object({ id: z.string(), appMasterTrackingUrl: z.string().min(1) });

/**
 * `docs/decisions.md`, What masters tell is not followed: the manager's proxy tells the version, hands out the cookie,
 * and passes on what the master says of its own address, which is another one with each attempt.
 */
export async function discover(
  http: HttpClient,
  { report }: Sighting,
  manager: string,
  signal: AbortSignal | undefined,
): Promise<MasterAddress> {
  const what = masterName(report.id);
  if (report.state !== 'RUNNING')
    throw new Conflict(
      'MASTER_NOT_READY',
      `The application ${report.id} is ${report.state}: it has no master now`,
    );
  const proxy = proxyOf(report.trackingUrl, report.id) ?? `${manager}/proxy/${report.id}`;
  const first = await http.ask(`${proxy}/ws`, { signal, what, headers: { accept: 'application/json' } });
  requireGood(first.status, what);
  const { version } = readAnswer(Version, first.text, what);
  if (version !== 'v1' && version !== 'v2')
    throw new UnusableAnswer(what, `speaks ${version}; this gateway knows v1 and v2`);
  const cookie = /(?:^|[,;]\s*)dt-client=([^;,]*)/.exec(first.header('set-cookie') ?? '')?.[1];
  const told = await http.ask(`${proxy}/ws/${version}/stram/info`, {
    signal,
    what,
    headers: { accept: 'application/json', ...cookieHeader(cookie) },
  });
  requireGood(told.status, what);
  const { id, appMasterTrackingUrl: address } = readAnswer(Whereabouts, told.text, what);
  if (id !== report.id) throw new UnusableAnswer(what, `is that of ${id}`);
  const origin = /^https?:\/\//.test(address) ? address : `http://${address}`;
  if (!URL.canParse(origin)) throw new UnusableAnswer(what, 'does not tell its address');
  return {
    base: `${new URL(origin).origin}/ws/${version}/stram`,
    cookie,
    attempt: report.currentAttemptId,
  };
}

export const masterName = (appId: string): string => `The master of ${appId}`;

export const cookieHeader = (cookie: string | undefined): Record<string, string> =>
  cookie === undefined ? {} : { cookie: `dt-client=${cookie}` };

/** The manager names the proxy, which may be a server of its own. */
function proxyOf(trackingUrl: string, appId: string): string | undefined {
  const url = /^https?:\/\//.test(trackingUrl) ? trackingUrl : `http://${trackingUrl}`;
  if (!trackingUrl || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return pathname.startsWith(`/proxy/${appId}`) ? `${origin}/proxy/${appId}` : undefined;
}

function requireGood(status: number, what: string): void {
  if (status !== 200) throw new UnusableAnswer(what, `answered with status ${status}`);
}
