import { QueryCache, QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { ClientError, type RestClient } from 'headgate/client';
import { client } from './client.js';
import { onLost, onReopened } from './connection.js';
import { onForbidden, session } from './session.js';

type Id = keyof RestClient;
type CallOf<I extends Id> = NonNullable<Parameters<RestClient[I]>[0]>;
/** What an operation answers. */
export type AnswerOf<I extends Id> = Awaited<ReturnType<RestClient[I]>>;

/** What may be asked again without harm, and with hope: the gateway or what is behind it is away for a while. */
const passes = (error: unknown): boolean =>
  error instanceof ClientError && (error.code === 'UNREACHABLE' || [502, 503, 504].includes(error.status));

export const queryClient = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 3 && passes(error),
      retryDelay: (count) => Math.min(8000, 500 * 2 ** count),
    },
  },
});

// Whatever was live while nobody could tell is read anew.
onReopened(() => void queryClient.invalidateQueries());

// A browser does not tell why a WebSocket is refused: whether the session has ended a call can tell.
onLost(() => {
  if (session.get() === 'open') void client.getProfile().catch(() => {});
});

/**
 * A read of the API, for `useQuery`: kept under the operation's id and what it was asked with, given up when nobody waits for it.
 */
export const read = <I extends Id>(id: I, call: CallOf<I>) =>
  queryOptions<AnswerOf<I>, Error>({
    queryKey: [id, call],
    queryFn: ({ signal }) => operations[id]({ ...call, signal }),
  });

/** The client as a table of its operations: so TypeScript follows which call goes with which answer. */
const operations: { readonly [I in Id]: (call: CallOf<I>) => Promise<AnswerOf<I>> } = client;

/** The same as the text that came, for what `JSON.parse` would round. */
export const readText = <I extends Id>(id: I, call: Omit<CallOf<I>, 'signal' | 'headers'>) =>
  queryOptions<string, Error>({
    queryKey: [id, call, 'text'],
    queryFn: ({ signal }) => textOf(id, { ...call, signal }),
  });

const textOf = (id: Id, call: object): Promise<string> =>
  (client.textOf as (id: Id, call: object) => Promise<string>)(id, call);

/** After a change: what these operations gave is read again where somebody looks at it. */
export const changed = (...ids: readonly Id[]): Promise<unknown> =>
  Promise.all(ids.map((id) => queryClient.invalidateQueries({ queryKey: [id] satisfies QueryKey })));

// Rights may have been taken away while somebody looks.
onForbidden(() => void changed('getCapabilities', 'getProfile'));
