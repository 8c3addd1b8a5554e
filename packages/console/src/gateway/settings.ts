/** What the host has said to `streamConsole`, as far as the page shows it. */
interface ConsoleSettings {
  readonly title: string;
  readonly logo?: string;
  readonly accent?: string;
  readonly environment?: { readonly name: string; readonly color?: string; readonly isProduction?: boolean };
  readonly links: readonly { readonly label: string; readonly href: string }[];
  readonly loginUrl?: string;
}

const contentOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;

/** Written into the page by the server that made it; the page of a development server has none. */
function read(): Partial<ConsoleSettings> {
  const text = contentOf('headgate-settings') ?? '';
  return text.startsWith('{') ? JSON.parse(text) : {};
}

export const settings: ConsoleSettings = { title: 'Headgate', links: [], ...read() };

/** Proves that a `<style>` is the page's own. Browsers hide the attribute from styles, so it is read as a property. */
export const nonce: string =
  document.querySelector<HTMLMetaElement>('meta[name="headgate-nonce"]')?.nonce ?? '';
