import { isAbsolute } from 'node:path';
import { isSecretName } from '../../formats/secret-names.js';

/** A property that means something to the gateway. Others are kept for whoever reads them. */
interface KnownProperty {
  readonly meaning: string;
  /**
   * When a new value is in force. `start`: when the host starts again, a restart in place is not enough. `launch`: for
   * applications that are launched from then on.
   */
  readonly inForce: 'at once' | 'restart' | 'start' | 'launch';
  /** Shown and read while nobody has set it. */
  readonly default?: string;
  /** Always kept in the file of this node. */
  readonly isLocal?: true;
  /** Where the name says otherwise. */
  readonly isSecret?: false;
  /** Listed as TRANSIENT, and changed all the same: `docs/decisions.md`, The usage report. */
  readonly isShownTransient?: true;
  /** What is wrong with a value, as the end of a sentence. */
  readonly problem?: (value: string) => string | undefined;
}

const yesOrNo = (value: string) => (/^(true|false)$/.test(value) ? undefined : 'must be true or false');
const absolutePath = (value: string) => (isAbsolute(value) ? undefined : 'must be an absolute path');
const count = (min: number, max: number) => (value: string) =>
  /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
    ? undefined
    : `must be a whole number from ${min} to ${max}`;
const webAddress = (value: string) =>
  URL.canParse(value) && /^https?:\/\/[^@]*$/.test(new URL(value).href)
    ? undefined
    : 'must be an http: or https: URL without user and password';
const hostAndPort = (value: string) =>
  /^(\[[0-9a-fA-F:.]+\]|[^\s:/]+):\d{1,5}$/.test(value) ? undefined : 'must be host:port';

const table = {
  'platform.gateway.staticResourceDirectory': {
    meaning:
      'Folder whose files the host shows at /static/; read by hosts that ask for it, such as the example server',
    inForce: 'at once',
    isLocal: true,
    problem: absolutePath,
  },
  'platform.phoneHome.enable': {
    meaning: 'Whether the usage report is measured and, where platform.phoneHome.url is set, sent',
    inForce: 'at once',
    default: 'true',
    isShownTransient: true,
    problem: yesOrNo,
  },
  'platform.phoneHome.url': {
    meaning:
      'Where the usage report of each period is sent with POST; nothing leaves this machine without it',
    inForce: 'at once',
    problem: webAddress,
  },
  'platform.gateway.importDirectory': {
    meaning: 'Folder of this machine from which application packages may be imported',
    inForce: 'at once',
    isLocal: true,
    problem: absolutePath,
  },
  'platform.gateway.autoPublishInterval': {
    meaning: 'Milliseconds between two messages of a topic that is published once a second by default',
    inForce: 'restart',
    default: '1000',
    // Alerts take a topic that has said nothing for half a minute for silent.
    problem: count(100, 15_000),
  },
  'platform.gateway.allowCrossOrigin': {
    meaning: 'Whether pages of all origins may call with API tokens, and read the answers',
    inForce: 'at once',
    default: 'false',
    problem: yesOrNo,
  },
  'platform.clusterExecutable': {
    meaning: 'Program of this machine that starts applications; PUT config/clusterExecutable tries it first',
    inForce: 'restart',
    isLocal: true,
    problem: absolutePath,
  },
  'platform.gateway.listenAddress': {
    meaning:
      'Where the host listens, as host:port; read by hosts that ask for it, such as the example server',
    inForce: 'start',
    isLocal: true,
    problem: hostAndPort,
  },
  'platform.attr.GATEWAY_CONNECT_ADDRESS': {
    meaning: 'host:port under which masters reach the gateway',
    inForce: 'launch',
    isLocal: true,
    problem: hostAndPort,
  },
  'platform.attr.GATEWAY_USE_SSL': {
    meaning: 'Whether masters reach the gateway by TLS',
    inForce: 'launch',
    problem: yesOrNo,
  },
  'platform.containerHost': {
    meaning: "Address of the container runtime: a unix: path or an http: URL; unset: the runtime's own",
    inForce: 'at once',
  },
  'platform.containerMinSupportedVersion': {
    meaning: 'Lowest version of the container runtime that is called compatible',
    inForce: 'at once',
    default: '1.9.1',
    problem: (value) => (/^\d+(\.\d+){0,3}$/.test(value) ? undefined : 'must be a version such as 1.9.1'),
  },
  'platform.configStatus': {
    meaning: 'complete: the assistant of the first set-up is done; for consoles',
    inForce: 'at once',
    isLocal: true,
  },
  'platform.dfsRootDirectory': {
    meaning: "Folder of the platform on the cluster's file system, read when the host opens the driver",
    inForce: 'start',
    isLocal: true,
    problem: absolutePath,
  },
  'platform.gateway.appDirectoryRetentionMillis': {
    meaning: 'How long applications that have ended stay listed, milliseconds; then their files go too',
    inForce: 'at once',
    default: String(30 * 24 * 3_600_000),
    problem: count(60_000, 100 * 365 * 24 * 3_600_000),
  },
  'platform.gateway.sslKeystorePath': {
    meaning: 'PKCS#12 key store of this platform: for passwords that are kept, and for hosts that ask for it',
    inForce: 'restart',
    problem: absolutePath,
  },
  'platform.gateway.sslKeystorePassword': {
    meaning: 'Password of the key store and of its keys',
    inForce: 'restart',
  },
  'platform.gateway.ssl.alias.password.encryption': {
    meaning: 'Name of the key pair in the key store from which the key is drawn that seals passwords',
    inForce: 'restart',
    isSecret: false,
  },
} as const satisfies Readonly<Record<string, KnownProperty>>;

export const knownProperties: Readonly<Record<string, KnownProperty>> = table;

export const knownProperty = (name: string): KnownProperty | undefined =>
  Object.hasOwn(knownProperties, name) ? knownProperties[name] : undefined;

const ofApplications = /^(?:platform|apex|dt)\.(?:attr|operator|stream|application|template|loggers)\./;

/** Whether applications get it at their launch: gateway's own things, and secrets, are none of theirs. */
export const isForLaunch = (name: string): boolean =>
  !isSecretProperty(name) && (knownProperty(name)?.inForce === 'launch' || ofApplications.test(name));

export const isSecretProperty = (name: string): boolean =>
  knownProperty(name)?.isSecret ?? isSecretName(name);
