/** A worker obeys the policy that its own file comes with, not the page's. */
export const policyOfWorkers = "default-src 'none'; script-src 'self'; connect-src 'self'";

/**
 * Of the page: nothing from elsewhere, no script in the markup. Some libraries add `<style>` elements, which prove themselves by
 * the nonce.
 */
export const policyOfPage = ({
  nonce,
  frameAncestors = [],
}: {
  readonly nonce: string;
  readonly frameAncestors?: readonly string[] | undefined;
}): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
