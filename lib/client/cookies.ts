/** Keeps the session where no browser does: name and value, for the one gateway that the client talks to. */
export interface Cookies {
  /** Value of the `cookie` header; `undefined` when there is none. */
  header(): string | undefined;
  store(headers: Headers): void;
}

export function createCookies(): Cookies {
  const kept = new Map<string, string>();
  return {
    header: () =>
      kept.size === 0 ? undefined : [...kept].map(([name, value]) => `${name}=${value}`).join('; '),
    // Browsers show no `set-cookie` to programs, so there nothing is kept here.
    store(headers) {
      for (const line of headers.getSetCookie()) {
        const [pair = '', ...attributes] = line.split(';');
        const at = pair.indexOf('=');
        const name = pair.slice(0, at).trim();
        if (attributes.some(isOver)) kept.delete(name);
        else if (at > 0) kept.set(name, pair.slice(at + 1).trim());
      }
    },
  };
}

function isOver(attribute: string): boolean {
  const [name = '', value = ''] = attribute.trim().split('=');
  if (name.toLowerCase() === 'max-age') return Number(value) <= 0;
  return name.toLowerCase() === 'expires' && Date.parse(value) <= Date.now();
}
