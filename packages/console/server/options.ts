import { type OptionChecks, option } from 'headgate/driver-kit';

/** A line of the console's menu that leads elsewhere. */
export interface ConsoleLink {
  readonly label: string;
  /** `https://...`, or a path of the host: `/help`. */
  readonly href: string;
}

/** What a host makes its own. */
export interface ConsoleOptions {
  /** Stands in the header and in the titles of windows. Default: `Headgate`. */
  readonly title?: string;
  /** A picture, some 24 px high: a path on the host's own origin, or `data:image/...`. Default: none, the title stands alone. */
  readonly logo?: string;
  /** One colour, `#1b6ec2`, from which the shades of buttons and links are made. Default: a blue. */
  readonly accent?: string;
  /** A badge in the header. With `isProduction` whoever shuts an application down has to type its name. Default: none. */
  readonly environment?: { readonly name: string; readonly color?: string; readonly isProduction?: boolean };
  /** More lines for the menu. Default: none. */
  readonly links?: readonly ConsoleLink[];
  /**
   * Where whoever is not logged in is sent, by hosts with a login of their own; it gets the page to come back to as the query's
   * `returnTo`. Default: the console's own form.
   */
  readonly loginUrl?: string;
  /** Origins whose pages may show the console in a frame: `'self'`, `https://portal.example.org`. Default: none may. */
  readonly frameAncestors?: readonly string[];
}

const color = option.matching(/^#[0-9a-f]{6}$/i, 'a colour such as #1b6ec2');
/** Nothing that runs as a script, and nothing that a browser reads as another host. */
const address = option.matching(
  /^(https?:\/\/|\/(?![/\\]))/i,
  'an address, https://... or a path that begins with "/"',
);

export const consoleOptions: OptionChecks<ConsoleOptions> = {
  title: option.text,
  logo: option.matching(
    /^(data:image\/|\/(?![/\\]))/i,
    'a path of the host that begins with "/", or data:image/...',
  ),
  accent: color,
  environment: option.group({
    name: option.needed(option.text, 'what the badge says'),
    color,
    isProduction: option.flag,
  }),
  links: option.listOf(
    option.group({
      label: option.needed(option.text, 'what the line says'),
      href: option.needed(address, 'where it leads'),
    }),
  ),
  loginUrl: address,
  frameAncestors: option.listOf(
    option.matching(
      /^('self'|https?:\/\/[^\s;,'"]+)$/,
      "'self' or an origin such as https://portal.example.org",
    ),
  ),
};
