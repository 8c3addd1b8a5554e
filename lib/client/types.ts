import type { Upload } from '../http/body.js';
import type { File, Text } from '../http/reply.js';
import type { GatewayResponse } from '../http/request.js';
import type { Route } from '../http/route.js';
import type { Topic } from '../pubsub/topic.js';
import type { routes } from '../routes.js';
import type { topics } from '../topics.js';

// The client's types are folds over the tables: a new route or topic is here as soon as it is there.

type Rooms = typeof routes;
type Merged<Tree> = { [Room in keyof Tree]: (flat: Tree[Room]) => void }[keyof Tree] extends (
  flat: infer Flat,
) => void
  ? Flat
  : never;
type AllRoutes = Merged<Rooms>;

/** One function for each operation, by its id. */
export type RestClient = { readonly [Id in keyof AllRoutes]: Operation<AllRoutes[Id]> };

export interface AnswerTexts {
  /**
   * The same call, by the id of its operation: its answer as the text that was sent. `JSON.parse` rounds integers beyond 2^53, so
   * whoever shows those (window ids in tuples, counters) reads the text with a parser of their own.
   */
  textOf<Id extends keyof AllRoutes>(id: Id, ...call: Parameters<RestClient[Id]>): Promise<string>;
  /**
   * The same with its headers: the `ETag` that a later change sends as `If-Match`, say. Rejects as every call does when it was
   * refused; the body is there to be read once.
   */
  responseOf<Id extends keyof AllRoutes>(id: Id, ...call: Parameters<RestClient[Id]>): Promise<Response>;
}

export interface OperationUrls {
  /**
   * The address of a call, with the base URL that the client was made with: for a link that the browser follows by itself, such as a
   * download that goes to disk without passing through memory. It carries the session's cookie there, and no header of the client.
   * Throws `ClientError` `INVALID_CALL` for parameters that no path can hold.
   */
  urlOf<Id extends keyof AllRoutes>(id: Id, ...call: Parameters<RestClient[Id]>): string;
}

type Operation<R> =
  R extends Route<
    infer _Service,
    infer _Params,
    infer _Query,
    infer _Body,
    infer Reply,
    infer Params,
    infer Query,
    infer Body
  >
    ? (...call: Arguments<Call<Params, Query, Body>>) => Promise<Answer<Reply>>
    : never;

type Arguments<C> = Record<never, never> extends C ? [call?: C] : [call: C];
type Call<Params, Query, Body> = Part<'params', Params> &
  Part<'query', Query> &
  Part<'body', Body> &
  ClientCallOptions;

/** Absent where the route takes none, optional where everything in it is. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { readonly [N in Name]?: T }
    : Record<never, never> extends T
      ? { readonly [N in Name]?: T }
      : { readonly [N in Name]: T };

export interface ClientCallOptions {
  /** Aborting it gives the call up: the gateway stops working for it, too. */
  readonly signal?: AbortSignal;
  /** Besides the client's; `content-type` of an upload, say. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Texts, files and what a proxy brings come as the `Response`, to be read as a stream or whole. */
type Answer<R> = R extends Text | File | GatewayResponse ? Response : R;

export type { Upload };

type AllTopics = Merged<typeof topics>;

/** What arrives on a topic, as far as the gateway publishes it; `unknown` for topics of applications and clients. */
export type TopicData<Name extends string> = [Known<Name>] extends [never] ? unknown : Known<Name>;

type Known<Name extends string> = {
  [Id in keyof AllTopics]: AllTopics[Id] extends Topic<infer _Service, infer _Params, infer Data> & {
    readonly name: infer Pattern extends string;
  }
    ? Fits<Name, Pattern> extends true
      ? Data
      : never
    : never;
}[keyof AllTopics];

/** Segment by segment; `{appid}` stands for any one. */
type Fits<Name extends string, Pattern extends string> = Pattern extends `${infer Head}.${infer Tail}`
  ? Name extends `${infer First}.${infer Rest}`
    ? FitsOne<First, Head> extends true
      ? Fits<Rest, Tail>
      : false
    : false
  : Name extends `${string}.${string}`
    ? false
    : FitsOne<Name, Pattern>;
type FitsOne<Segment extends string, Pattern extends string> = Pattern extends `{${string}}`
  ? true
  : Segment extends Pattern
    ? true
    : false;
