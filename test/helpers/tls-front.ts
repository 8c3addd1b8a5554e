import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';

// Of nobody, for the loopback, good for a hundred years.

/** Signed by itself: whoever trusts it names it. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBojCCAUmgAwIBAgIUYPzRk9+aw0BTtlQ3IJQU315VfLEwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNaGVhZGdhdGUgdGVzdDAgFw0yNjExMjEyMjEwMzhaGA8yMTI2
MTAyODIyMTAzOFowGDEWMBQGA1UEAwwNaGVhZGdhdGUgdGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABMxYU+sdlWSjnRui6xemrI75NtYNsB13kbwD+K7DVupW
bc5i98ZjmWxG0vCAzpH6cOkjLPTJh1uz/YJZyiFuzI+jbzBtMB0GA1UdDgQWBBSK
2PlrCeLhHtpF9CrCfRJHSmge+jAfBgNVHSMEGDAWgBSK2PlrCeLhHtpF9CrCfRJH
Smge+jAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8AAAGCCWxvY2FsaG9z
dDAKBggqhkjOPQQDAgNHADBEAiB3V0FT+X+nFlT5WCizJZlHFbC6kppDohbkBVDI
UfKS6QIgB5LvaqRu/KzQ7yz4BFeQH8khjQbycxXlTHVWoj0LCmo=
-----END CERTIFICATE-----
`;

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTyPRg8VlshGr6DRI
edXiOxffS+3GBOytYTMKYXx9cBmhRANCAATMWFPrHZVko50bousXpqyO+TbWDbAd
d5G8A/iuw1bqVm3OYvfGY5lsRtLwgM6R+nDpIyz0yYdbs/2CWcohbsyP
-----END PRIVATE KEY-----
`;

/** TLS in front of a plain server; resolves `https://127.0.0.1:port`. */
export async function tlsFront(
  t: { teardown(end: () => Promise<void>): void },
  plain: { readonly url: string },
): Promise<string> {
  const server = createServer({ key, cert: certificate }, (socket) => {
    const inner = connect(Number(new URL(plain.url).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    socket.pipe(inner).pipe(socket);
    sockets.add(socket);
  });
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
