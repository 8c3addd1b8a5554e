import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayResponse } from './request.js';

// For pages of any origin, where an administrator lets them in (`platform.gateway.allowCrossOrigin`). They prove who they
// are with a token that they hold. What browsers send by themselves is no proof there: any page could make them send it.

/**
 * Whether the request is what a script of the page has made, and nothing of it comes from the browser's own store: no
 * cookie, and a token. Browsers send plain forms without asking first, but never with a token.
 */
export const isOfItsPageAlone = ({ cookie, authorization }: IncomingHttpHeaders): boolean =>
  cookie === undefined && /^bearer /i.test(authorization ?? '');

/** On each answer. Without `allow-credentials`: browsers keep answers to a cookie from the page. */
export const readableByAll: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-disposition, content-range, deprecation, etag, retry-after, x-request-id',
};

/** The question that browsers ask before anything but a plain read. */
export const isPreflight = ({
  method,
  headers,
}: {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

/** `methods`: of the path. */
export const preflightAnswer = (methods: readonly string[]): GatewayResponse => ({
  status: 204,
  headers: {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': 'authorization, content-type, if-match, if-none-match, if-range, range',
    'access-control-max-age': '600',
  },
  body: '',
});
