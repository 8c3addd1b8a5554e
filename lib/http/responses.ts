import { inUnit } from '../model/quantity.js';
import type { Json } from './json-schema.js';
import type { Route } from './route.js';

// What an operation may answer, as the OpenAPI document says it. It follows from the route, so that nobody has to write it.

interface Answer {
  readonly description: string;
  /** Whether an operation gives it. */
  of(route: Route<unknown>): boolean;
  /** Says when to try again. */
  readonly isForLater?: true;
}

const refuses = (status: number) => (route: Route<unknown>) =>
  route.refusals?.some((refusal) => refusal === status) ?? false;
const hasOwnBody = ({ body }: Route<unknown>) => body !== undefined && body.kind !== 'whole';
/** A PUT of one name makes what is not there yet. */
const creates = ({ method, path }: Route<unknown>) => method === 'PUT' && /^[^{]*\{\w+\}$/.test(path);

const errors: Readonly<Record<number, Answer>> = {
  400: {
    description: 'What was sent is not valid; `details` says what and where',
    of: () => true,
  },
  401: {
    description: 'Nobody is logged in, or what was sent to prove it is wrong',
    // Public ones too: a gateway that its host has not told who may come in answers nobody.
    of: () => true,
  },
  403: {
    description:
      'The caller, the license, the host or the site that the request comes from does not allow this',
    // A host may refuse anything.
    of: () => true,
  },
  404: {
    description: 'What is named is not there, or the caller must not know of it',
    of: (route) => (route.params !== undefined && !creates(route)) || refuses(404)(route),
  },
  409: {
    description: 'The state that the thing is in does not allow this now',
    of: (route) => route.requires !== undefined || refuses(409)(route),
  },
  412: {
    description: 'A condition does not hold: `If-Match`, or that nothing is lost that was there before',
    of: (route) => route.conditional === true || refuses(412)(route),
  },
  413: { description: 'More was sent than is taken; `details` says how much is', of: hasOwnBody },
  415: { description: 'The body is of a type or in an encoding that is not taken here', of: hasOwnBody },
  416: {
    description: 'The range that is asked for begins behind the end',
    of: ({ reply }) => reply.kind === 'file',
  },
  429: {
    description: 'Too much at once, or too many failed logins',
    of: (route) => route.access !== 'public' || refuses(429)(route),
    isForLater: true,
  },
  501: {
    description: 'What this gateway was set up with can not do it',
    of: (route) => route.requires !== undefined || refuses(501)(route),
  },
  503: {
    description: 'The gateway, or what it needs, is starting or being closed',
    of: () => true,
    isForLater: true,
  },
};

/** The statuses that an operation's answers may have; `isPassedOn`: any, as the other side says. Faults, 5XX, come besides. */
export function statusesOf(route: Route<unknown>): {
  readonly statuses: readonly number[];
  readonly isPassedOn: boolean;
} {
  const isPassedOn = route.reply.kind === 'passthrough';
  const successes = isPassedOn ? [] : route.reply.kind === 'file' ? [200, 206] : [200];
  const failures = Object.entries(errors).flatMap(([status, answer]) =>
    answer.of(route) ? [Number(status)] : [],
  );
  return { statuses: [...successes, ...failures], isPassedOn };
}

/** `content`: of a success. */
export function responsesOf(route: Route<unknown>, content: Json): Json {
  const { statuses, isPassedOn } = statusesOf(route);
  const named = statuses.map((status) => {
    if (status === 200) return [status, { description: 'OK', content }];
    if (status === 206) return [status, { description: 'The part that `Range` asks for', content }];
    return [status, isPassedOn ? orPassedOn(status) : shared(status)];
  });
  return {
    ...Object.fromEntries(named),
    '5XX': isPassedOn ? orPassedOn('5XX') : shared('5XX'),
    ...(isPassedOn ? { default: shared('PassedOn') } : {}),
  };
}

/** The other side has errors of its own, in its own form. */
const orPassedOn = (status: number | '5XX'): Json => ({
  description: `${status === '5XX' ? faults : errors[status]?.description}. Or what the other side answered`,
  content: passedOn,
});

const shared = (name: string | number): Json => ({ $ref: `#/components/responses/${name}` });

export const errorSchema: Json = {
  type: 'object',
  required: ['message', 'code', 'requestId'],
  properties: {
    message: { type: 'string', description: 'A sentence for people' },
    code: { type: 'string', description: 'Stable; branch on this. New ones come: then go by the status' },
    requestId: { type: 'string', description: 'The log line has the same' },
    details: { description: 'What is wrong, and where' },
  },
};

/**
 * A media type as documents name it. What may be of any type is bytes to who generates a client: none of them knows what to do
 * with a range of types.
 */
export const nameOfType = (type: string): string =>
  type === '*' || type === '*/*' ? 'application/octet-stream' : (type.split(';', 1)[0] ?? type);

/** Of a body without a schema of its own: text where its media type says so, else bytes. */
export const unstructured = (type: string): Json =>
  /^text\/|[/+]xml$/.test(nameOfType(type)) ? { type: 'string' } : { type: 'string', format: 'binary' };

const errorContent: Json = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

/** Of any media type; JSON is named so that what checks answers knows of it. */
const passedOn: Json = {
  [nameOfType('*')]: { schema: unstructured('*') },
  'application/json': { schema: {} },
};

const faults =
  'A fault of the gateway (500), or of what it asks: it can not be reached or does not work as it should (502), or does not answer in time (504)';

const retryAfter: Json = {
  'Retry-After': {
    description: 'When to try again, from now',
    schema: { type: 'integer', ...inUnit('s') },
  },
};

/** What operations refer to. */
export const sharedResponses: Json = {
  ...Object.fromEntries(
    Object.entries(errors).map(([status, { description, isForLater }]) => [
      status,
      { description, ...(isForLater ? { headers: retryAfter } : {}), content: errorContent },
    ]),
  ),
  '5XX': { description: faults, content: errorContent },
  PassedOn: {
    description:
      'What the other side answered, with its status, headers and body, also where the status is one of those named here. An error of the gateway itself is JSON with `code` and `requestId`',
    content: passedOn,
  },
};
