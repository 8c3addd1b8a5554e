import type { Probe } from 'headgate/host-probe';

/** Registers a test of the contract: a host of its own, with a gateway behind it that answers what the suite wants. */
export type HostTest = (
  name: string,
  run: (host: { readonly baseUrl: string; readonly probe: Probe }) => Promise<void>,
  options?: { readonly unknownPaths?: 'refuse' | 'host' },
) => void;
