import {
  type Authenticator,
  type CallerRequest,
  type Identity,
  type OptionChecks,
  option,
  readOptions,
  requireArgument,
  Unreachable,
} from '../../lib/driver-kit.js';

export interface FromHostOptions {
  /**
   * Names of the host's own cookies (`connect.sid`). With them services behind the proxy may have cookies too: all others.
   * Default: unknown, so services get and set none.
   */
  readonly cookies?: readonly string[];
  /** Names of the headers that tell the host who is calling (`x-api-key`): services do not get them. Default: none. */
  readonly headers?: readonly string[];
}

const fromHostOptions: OptionChecks<FromHostOptions> = {
  cookies: option.listOf(option.text),
  headers: option.listOf(option.text),
};

type Nobody = undefined | null | false | '' | 0;

/**
 * Who is calling, from the host's own session. The callback gets the host's request (`IncomingMessage`, Express `req`,
 * Koa `ctx`: name the type) and gives an identity, or something falsy when nobody is logged in. When it throws, the
 * request is answered with 502.
 *
 * ```ts
 * fromHost<express.Request>((req) => req.session.user && { userName: req.session.user.name, roles: ['operator'] })
 * ```
 */
export function fromHost<Raw>(
  whoIs: (raw: Raw, request: CallerRequest) => Identity | Nobody | Promise<Identity | Nobody>,
  given: FromHostOptions = {},
): Authenticator {
  requireArgument('fromHost', 'the callback', whoIs, option.callback);
  const options = readOptions('fromHost', given, fromHostOptions);
  return {
    ...(options.cookies ? { cookies: options.cookies } : {}),
    ...(options.headers ? { headers: options.headers } : {}),
    async authenticate(request) {
      let identity: Identity | Nobody;
      try {
        // Only the host knows what its requests are, and says so by the type argument.
        identity = await whoIs(request.raw as Raw, request);
      } catch (error) {
        throw new Unreachable("The host's session", error);
      }
      if (!identity) return undefined;
      if (typeof identity.userName !== 'string') {
        throw new TypeError('fromHost: the callback gave something without a userName');
      }
      return { scheme: 'host', ...identity };
    },
  };
}
