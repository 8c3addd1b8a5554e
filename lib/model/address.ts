import * as z from 'zod';

/** Leads to something through the gateway. Nobody knows what stands in front of that, so it is relative. */
export const Address = z
  .string()
  .describe('relative to where the gateway is mounted, as what begins with `ws/v2/`; empty: leads nowhere');
