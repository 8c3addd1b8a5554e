import { BadRequest } from '../../model/errors.js';

/** `8080`, `host:8080`, `host:8080/path`, also with IPv6 in brackets; without a host: this machine. */
export function baseOf(address: string): URL {
  const [, host = '127.0.0.1', port = '', path = '/'] =
    /^(?:([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):)?(\d{1,5})(\/[^\s?#\\]*)?$/.exec(address) ?? [];
  const text = `http://${host}:${port}${path.endsWith('/') ? path : `${path}/`}`;
  if (port === '' || Number(port) < 1 || Number(port) > 65_535 || !URL.canParse(text))
    throw new BadRequest(
      'ADDRESS_NOT_VALID',
      `The proxy address ${JSON.stringify(address)} is no port, host:port or host:port/path`,
    );
  return new URL(text);
}
