/** What an operator says of an address that `access.mayConnect` refuses. */
export const refusedAddress = (host: string): string =>
  `${host} may not be connected to; the option addresses of localCluster decides`;
