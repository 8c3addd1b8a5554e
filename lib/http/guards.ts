type Headers = Record<string, string | string[]>;

/**
 * Adds to the headers of an answer, which it returns, what each tells browsers: to take it for nothing but what it says that
 * it is, and to show it in frames of our own pages and of those of `origins` only. Somebody else's answer that says itself
 * who may frame it is left to say so.
 */
type Guard = (headers: Headers) => Headers;

/** `origins`: whole ones; what is none is left out, for it would end the policy. */
export function guardOf(origins: readonly string[]): Readonly<Record<GuardName, string>> {
  const framers = ["'self'", ...origins.filter((origin) => /^https?:\/\/[\w.:[\]-]+$/i.test(origin))];
  return {
    'x-content-type-options': 'nosniff',
    // Browsers that know the policy leave this one aside, which can't name an origin.
    'x-frame-options': 'SAMEORIGIN',
    'content-security-policy': `frame-ancestors ${framers.join(' ')}`,
  };
}

type GuardName = 'x-content-type-options' | 'x-frame-options' | 'content-security-policy';

export function createGuard(origins: readonly string[]): Guard {
  const usual = guardOf(origins);
  const {
    'content-security-policy': policy,
    'x-content-type-options': nosniff,
    'x-frame-options': framers,
  } = usual;

  return (headers) => {
    const own = headers['content-security-policy'];
    const says = headers['x-frame-options'];
    if (own === undefined && says === undefined) return Object.assign(headers, usual);
    headers['x-content-type-options'] = nosniff;
    const policies = Array.isArray(own) ? own.join(', ') : own;
    if (says !== undefined || (policies !== undefined && /frame-ancestors/i.test(policies))) return headers;
    headers['x-frame-options'] = framers;
    // Of several policies each one holds.
    headers['content-security-policy'] = policies === undefined ? policy : `${policies}, ${policy}`;
    return headers;
  };
}
