import type { ForwardLimits } from '../../forwarding/exchange.js';
import { type OptionChecks, option } from '../../runtime/option-checks.js';
import { defaultTunnelLimits, type TunnelLimits } from './tunnels.js';

export interface ProxyOptions {
  readonly limits?: Partial<ForwardLimits & TunnelLimits>;
}

export const defaultForwardLimits: ForwardLimits = {
  connectMillis: 5000,
  answerMillis: 60_000,
  idleMillis: 120_000,
};

export const defaultProxyLimits: ForwardLimits & TunnelLimits = {
  ...defaultForwardLimits,
  ...defaultTunnelLimits,
};

export const proxyOptions: OptionChecks<ProxyOptions> = { limits: option.limits(defaultProxyLimits, 0) };
