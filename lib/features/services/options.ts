import { type OptionChecks, option } from '../../runtime/option-checks.js';

/** Of services; what runs those of type `container` is `containers`. */
export interface ServiceOptions {
  /** What `${.name}` stands for: `GATEWAY_CONNECT_ADDRESS`, or another name. They come before properties of the platform. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Services are stopped when the gateway closes, and started again by the next one. Default: false, they go on. */
  readonly stopOnClose?: boolean;
  /**
   * A launch may install services that its package brings, also for callers without EDIT_GLOBAL_CONFIG: whoever may upload
   * packages then runs programs on this host, reads its files, reaches what it reaches and brings pages of the gateway's
   * origin. Default: false.
   */
  readonly launchesInstallServices?: boolean;
  readonly limits?: Partial<ServiceLimits>;
}

export interface ServiceLimits {
  /** Default: 200. */
  readonly services: number;
  /** Milliseconds between two looks at what runs. Default: 2 s. */
  readonly pollMillis: number;
  /** Milliseconds before the first new try after a failure; doubles up to `retryMostMillis`. Default: 5 s. */
  readonly retryFirstMillis: number;
  /** Default: 5 min. */
  readonly retryMostMillis: number;
  /** Milliseconds to end in order, before it is killed. Default: 10 s. */
  readonly stopGraceMillis: number;
  /** Milliseconds to get ready after a start, and that a launch waits for what it needs. Default: 5 min. */
  readonly readyMillis: number;
  /** Milliseconds for a question to what runs services. Default: 10 s. */
  readonly askMillis: number;
}

export const defaultServiceLimits: ServiceLimits = {
  services: 200,
  pollMillis: 2000,
  retryFirstMillis: 5000,
  retryMostMillis: 300_000,
  stopGraceMillis: 10_000,
  readyMillis: 300_000,
  askMillis: 10_000,
};

export const serviceOptions: OptionChecks<ServiceOptions> = {
  variables: option.valuesOf(option.text),
  stopOnClose: option.flag,
  launchesInstallServices: option.flag,
  limits: option.limits(defaultServiceLimits),
};

export const readServiceLimits = ({ limits }: ServiceOptions = {}): ServiceLimits => ({
  ...defaultServiceLimits,
  ...limits,
});

/** What stopping all of them may take when the gateway closes: all at once, each its grace and the answer to it. */
export function servicesStopMillis(options: ServiceOptions = {}): number {
  const { stopGraceMillis, askMillis } = readServiceLimits(options);
  return options.stopOnClose ? stopGraceMillis + askMillis : 0;
}
