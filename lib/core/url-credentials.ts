import { BadRequest } from './errors.js';

/** What is in a URL ends in logs, histories and `Referer` headers; so a secret there is refused, even a right one. */
const credential = /(?:^|[?&])(?:access_token|token)=|hgt_[0-9a-f]{16}_/i;

/** `url`: whole, or its query alone. */
export function refuseTokenInUrl(url: string): void {
  if (credential.test(url)) {
    throw new BadRequest(
      'Send the token as `Authorization: Bearer`; one that was in a URL should be revoked, because URLs are logged',
    );
  }
}
