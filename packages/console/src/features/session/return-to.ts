/**
 * Where somebody goes on after the login: a path of this console, and nothing else. What another page could have made of the address
 * (`//evil.example`, `/\evil.example`, `javascript:`) is the first page.
 */
export function returnPath(asked: unknown): string {
  if (typeof asked !== 'string' || !/^\/(?![/\\])/.test(asked) || /\s/.test(asked)) return '/apps';
  return asked === '/login' || asked.startsWith('/login?') ? '/apps' : asked;
}

/** The host's own login, told where to come back to. */
export function hostLogin(loginUrl: string, here: string): string {
  const [before, hash = ''] = loginUrl.split('#');
  const joint = before?.includes('?') ? '&' : '?';
  return `${before}${joint}returnTo=${encodeURIComponent(here)}${hash && `#${hash}`}`;
}
