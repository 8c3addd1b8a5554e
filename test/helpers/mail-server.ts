import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { MailServer } from '../../lib/index.js';
import { ownPort } from './ports.js';
import { certificate, key } from './tls-front.js';

type Teardown = { teardown(end: () => Promise<void>): unknown };

export interface ReceivedMail {
  readonly email: Email;
  readonly raw: string;
  readonly from: string;
  readonly recipients: readonly string[];
  readonly isSecure: boolean;
  /** Who logged in; empty: nobody. */
  readonly user: string;
}

export interface TestMailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** How `MailServer` names it. */
  readonly settings: Pick<MailServer, 'host' | 'port' | 'encryption' | 'from'>;
  /** Answers to recipients and content, by the reply code; none: it takes them. */
  refuse(codes: { recipients?: Readonly<Record<string, number>>; content?: number }): void;
  close(): Promise<void>;
}

export interface MailServerOptions {
  readonly encryption?: MailServer['encryption'];
  /** Default: nobody needs to log in. */
  readonly login?: { readonly userName: string; readonly password: string };
  /** Of an authority: only who shows a certificate of it may connect. Default: nobody needs one. */
  readonly clientCa?: string;
  /** Default: one that stays its own, also when the server is gone. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly address?: string;
}

/** A real mail server on the loopback, with the certificate of `tls-front.ts`. */
export async function mailServer(t: Teardown, options: MailServerOptions = {}): Promise<TestMailServer> {
  const { encryption = 'tls', login, clientCa, address: host = '127.0.0.1' } = options;
  const port = options.port ?? (await ownPort());
  const received: ReceivedMail[] = [];
  let recipientCodes: Readonly<Record<string, number>> = {};
  let contentCode: number | undefined;
  const refusal = (code: number) => Object.assign(new Error('refused by the test'), { responseCode: code });
  const server = new SMTPServer({
    secure: encryption === 'ssl',
    key,
    cert: certificate,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
    disabledCommands: [...(encryption === 'tls' ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    authOptional: !login,
    allowInsecureAuth: encryption === 'none',
    disableReverseLookup: true,
    closeTimeout: 50,
    onAuth({ username, password }, _session, done) {
      if (username === login?.userName && password === login?.password) done(null, { user: username });
      else done(refusal(535));
    },
    onRcptTo({ address }, _session, done) {
      const code = recipientCodes[address];
      done(code === undefined ? null : refusal(code));
    },
    onData(stream, session, done) {
      buffer(stream).then(async (raw) => {
        if (contentCode !== undefined) return done(refusal(contentCode));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          email: await PostalMime.parse(raw),
          raw: raw.toString('utf8'),
          from: mailFrom === false ? '' : mailFrom.address,
          recipients: rcptTo.map(({ address }) => address),
          isSecure: session.secure,
          user: 'user' in session && typeof session.user === 'string' ? session.user : '',
        });
        done();
      }, done);
    },
  });
  server.on('error', () => {});
  server.listen(port, host);
  await once(server.server, 'listening');
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise<void>((resolve) => server.close(resolve));
    return closing;
  };
  t.teardown(close);
  return {
    port,
    received,
    settings: {
      host,
      port,
      encryption,
      from: { address: 'gate@example.org', name: 'The gate' },
    },
    refuse({ recipients = {}, content }) {
      recipientCodes = recipients;
      contentCode = content;
    },
    close,
  };
}

/** A server that says what it is told to, or nothing: `said` gets each connection. */
export async function rudeServer(t: Teardown, said: (socket: Socket) => void = () => {}): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    said(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}
