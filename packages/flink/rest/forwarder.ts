import { type Forwarder, type HttpClient, NotFound } from 'headgate/driver-kit';
import { reasonIn } from './reasons.js';

/**
 * What a job answers to GET, by the first part of the path behind it. Others are not asked: `yarn-cancel` and `yarn-stop` are GET as
 * well, and end it for whoever may only see it.
 */
const readable: ReadonlySet<string> = new Set([
  '',
  'accumulators',
  'checkpoints',
  'clientHighAvailability',
  'config',
  'exceptions',
  'execution-result',
  'jobmanager',
  'metrics',
  'plan',
  'rescales',
  'rescaling',
  'resource-requirements',
  'savepoints',
  'status',
  'taskmanagers',
  'vertices',
]);

export interface Forwarding {
  /** Base URL of the JobManager that answers now. */
  readonly address: () => string;
  readonly headers: Readonly<Record<string, string>>;
  /** Connections of their own: what clients read takes no place from the driver. */
  readonly http: HttpClient;
}

/**
 * Leads to what the REST API has of one job, and nowhere else. `requireRunning`: asked for each call. `failed`: who answers is to be
 * found anew.
 */
export function jobForwarder(
  { address, headers, http }: Forwarding,
  jobId: string,
  { requireRunning, failed }: { readonly requireRunning: () => Promise<void>; readonly failed: () => void },
): Forwarder {
  return {
    async target() {
      await requireRunning();
      const base = new URL(`${address()}/jobs/${jobId}/`);
      return {
        base,
        headers: async () => headers,
        agent: http.agent(base),
        failed,
        admit({ method, rest }) {
          const [first = ''] = rest.split('/');
          // Flink takes slashes at the begin of a path for none.
          const isHidden = first === '' && rest !== '';
          if (isHidden || (method === 'GET' && !readable.has(first)))
            throw new NotFound('resource of a job that can be read', first.slice(0, 100), [
              ...[...readable].filter((name) => name !== ''),
            ]);
        },
        errorBody: withoutTraces,
      };
    },
  };
}

/** In Flink's own form; of its stack traces the reason alone. */
function withoutTraces(text: string): string {
  const reason = reasonIn(text);
  return JSON.stringify({ errors: reason === undefined ? [] : [reason] });
}
