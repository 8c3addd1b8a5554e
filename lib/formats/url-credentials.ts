import { BadRequest } from '../model/errors.js';

/** What is in a URL ends in logs, histories and `Referer` headers; so a secret there is refused, even a right one. */
const own = /hgt_[0-9a-f]{16}_/i;
const credential = new RegExp(`(?:^|[?&])(?:access_token|token)=|${own.source}`, 'i');

/**
 * `url`: whole, or its query alone. `own`: only tokens of the gateway; what else a URL behind a proxy holds is its
 * target's business.
 */
export function refuseTokenInUrl(url: string, whose: 'any' | 'own' = 'any'): void {
  if ((whose === 'own' ? own : credential).test(url)) {
    throw new BadRequest(
      'TOKEN_IN_URL',
      'Send the token as `Authorization: Bearer`; one that was in a URL should be revoked, because URLs are logged',
    );
  }
}
