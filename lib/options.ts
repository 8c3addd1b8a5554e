import type { PasswordOptions } from './features/accounts/password-rules.js';
import type { PackageOptions } from './features/app-packages/options.js';
import type { AuditOptions } from './features/audit/options.js';
import type { LicensingOptions } from './features/licenses/options.js';
import type { MailOptions } from './features/mail/options.js';
import type { SiteOptions } from './features/properties/options.js';
import type { ProxyOptions } from './features/proxy/options.js';
import type { ServiceOptions } from './features/services/options.js';
import type { InstallOptions } from './features/system/options.js';
import type { AlertOptions } from './features/system-alerts/options.js';
import type { TokenLimits } from './features/tokens/service.js';
import type { TrustProxy } from './http/trusted-proxies.js';
import type { Authenticator } from './interfaces/auth.js';
import type { HostRules } from './interfaces/authorize.js';
import type { Clock } from './interfaces/clock.js';
import type { ClusterDriver } from './interfaces/cluster.js';
import type { ConsolePages } from './interfaces/console-pages.js';
import type { ContainerRuntime } from './interfaces/container-runtime.js';
import type { Lifecycle } from './interfaces/lifecycle.js';
import type { Logger } from './interfaces/logger.js';
import type { Mailer } from './interfaces/mailer.js';
import type { Secrets } from './interfaces/secrets.js';
import type { Storage } from './interfaces/storage.js';
import type { Timeouts } from './model/timeouts.js';
import type { HubLimits } from './pubsub/limits.js';
import type { TrustedPublisher } from './pubsub/trusted-publishers.js';

/** Everything a host decides, and every default. */
export interface GatewayOptions {
  /** Where the gateway keeps what it is told: `filesystemStorage` or `memoryStorage`. Closed by the gateway. */
  readonly storage: Storage;
  /** What it manages: `localCluster` for one machine. Closed by the gateway. */
  readonly cluster: ClusterDriver;
  /**
   * Who is calling. `'none'` turns authentication off: everybody may everything, so listen on loopback only.
   * Default: every request is refused.
   */
  readonly auth?: Authenticator | 'none';
  /** Your own rules on top of ours, for operations and topics. They can only take away. Default: none. */
  readonly authorize?: HostRules;
  /**
   * The first start with an authenticator that checks passwords of the gateway's own accounts: when nobody is
   * administrator, a user `admin` is made with this password. Later starts ignore it. Default: a generated password,
   * to be had once as `gateway.initialAdminPassword`.
   */
  readonly initialAdmin?: { readonly password: string };
  /** Which passwords the gateway's own accounts may be given. Default: eight characters, and not the user's name. */
  readonly passwords?: PasswordOptions;
  /** One structured line a request and an event; a pino logger fits. Default: no log. */
  readonly logger?: Logger;
  /**
   * Origins (`https://console.example.org`) whose pages may change things and open the WebSocket, besides the one
   * that `Host` names. Needed behind a proxy that rewrites `Host` and is not in `trustProxy`. Default: none.
   */
  readonly origins?: readonly string[];
  /**
   * Which proxies in front are believed about who their client is, and what it asked for: how many there are (`1`), or where
   * (`'loopback'`, `'10.0.0.0/8'`, a list). Nobody may reach this server around them, and the first of them must replace what
   * clients send. Default: `false`, no header is believed.
   */
  readonly trustProxy?: TrustProxy;
  /**
   * What becomes of paths below `/ws/v1`, `/ws/v2` and `/proxy` that the gateway does not know: `'refuse'` answers 404 as JSON,
   * `'host'` leaves them to the host, which may have routes of its own there. Default: `'refuse'`.
   */
  readonly unknownPaths?: 'refuse' | 'host';
  /** Pages below `/console/`: `streamConsole()` of `@headgate/console`. Default: none, and the path is the host's. */
  readonly console?: ConsolePages;
  readonly pubsub?: {
    readonly limits?: Partial<HubLimits>;
    /** Peers that publish without a login. Default: none. */
    readonly trustedPublishers?: readonly TrustedPublisher[];
  };
  /** Of `/proxy/...`. */
  readonly proxy?: ProxyOptions;
  readonly packages?: PackageOptions;
  /**
   * Runs services of type `container`: `dockerRuntime` or `processRuntime` of
   * `@headgate/containers`. Closed by the gateway. Default: none, such services answer 501.
   */
  readonly containers?: ContainerRuntime;
  /** The platform's site files: its properties, as XML that a person may edit. Default: they are kept in the storage. */
  readonly site?: SiteOptions;
  /** What `GET config/installMode` tells. Default: `community`. */
  readonly install?: InstallOptions;
  /** How services are watched, tried again and ended. */
  readonly services?: ServiceOptions;
  /** What is kept of changes and refusals, and who is told. */
  readonly audit?: AuditOptions;
  /** Of API tokens; taken where `auth` holds `apiTokens()`. */
  readonly tokens?: Partial<TokenLimits>;
  /** Sends mails: `smtpMailer()` of `headgate/mail/smtp`. Default: none are sent, and `config/smtp` answers 501. */
  readonly mailer?: Mailer;
  readonly mail?: MailOptions;
  /** When and how conditions of system alerts are evaluated. */
  readonly alerts?: AlertOptions;
  /** Whose licenses are demanded. Default: nobody's, and nothing is limited. */
  readonly licensing?: LicensingOptions | undefined;
  /** What the gateway may do to the host's process. Default: nothing, it restarts in place. */
  readonly lifecycle?: Lifecycle;
  /** How long the gateway waits for the cluster before it answers 504, for logins, mails, and parts that close. */
  readonly timeouts?: Partial<Timeouts>;
  /** Seals passwords that the gateway keeps. Default: AES-256-GCM with the key that the storage makes. */
  readonly secrets?: Secrets;
  /**
   * What your own storage, cluster, authenticator, container runtime and keeper of secrets answer is held against the shapes of
   * their interfaces: a wrong answer is an error with status 502, and the log names driver, call and place. Costs some time a
   * call. Default: `false`, answers go on as they are.
   */
  readonly development?: boolean;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export const machineClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
