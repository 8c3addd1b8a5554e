type Headers = Readonly<Record<string, string | string[]>>;

/**
 * What every answer tells browsers: to take it for nothing but what it says that it is, and to show it in frames of our own
 * pages and of those of `origins` only. Somebody else's answer that says itself who may frame it is left to say so.
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
  const { 'content-security-policy': policy, 'x-content-type-options': nosniff } = usual;

  return (headers) => {
    const own = headers['content-security-policy'];
    if (own === undefined && headers['x-frame-options'] === undefined) return { ...headers, ...usual };
    const policies = own === undefined ? [] : [own].flat();
    const saysItself =
      headers['x-frame-options'] !== undefined || policies.some((one) => /frame-ancestors/i.test(one));
    if (saysItself) return { ...headers, 'x-content-type-options': nosniff };
    // Of several policies each one holds.
    return { ...headers, ...usual, 'content-security-policy': [...policies, policy].join(', ') };
  };
}
