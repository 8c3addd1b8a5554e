import { gatewayUrl } from './place.js';

// Pages behind the gateway, for people: they open in a tab of their own, and nothing here calls them.

/** Of a running service. */
export const serviceUrl = (name: string): string =>
  `${gatewayUrl}/proxy/services/${encodeURIComponent(name)}/`;

/** Of the cluster's resource manager. */
export const managerUrl = (rest: string): string => `${gatewayUrl}/proxy/rm/v1/${rest}`;

/** What an application names as the place to follow it: relative to the gateway where it leads through its proxies. */
export const trackingUrl = (told: string): string => new URL(told, `${gatewayUrl}/`).href;
