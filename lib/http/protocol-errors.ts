import { DocumentedError } from '../model/errors.js';

// What a request can be refused for as a request, whatever it asks for.

export class ForeignOrigin extends DocumentedError {
  constructor(origin: string) {
    super('FOREIGN_ORIGIN', `Requests from pages of ${origin} may not change anything here`);
  }
}

export class MethodNotAllowed extends DocumentedError {
  constructor(method: string, allowed: readonly string[]) {
    super('METHOD_NOT_ALLOWED', `${method} is not offered here; ${allowed.join(', ')}`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

export class UnsupportedBody extends DocumentedError {
  constructor(contentType: string, accepted: readonly string[]) {
    super('UNSUPPORTED_BODY', `Send ${accepted.join(' or ')}, not ${contentType}`, {
      details: { accepted },
    });
  }
}

export class RangeNotSatisfiable extends DocumentedError {
  constructor(size: number) {
    super('RANGE_NOT_SATISFIABLE', `The range begins behind the end: there are ${size} bytes`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
}

/** The body was read before the gateway saw the request: its type is one that the host takes for itself. */
export class BodyAlreadyRead extends DocumentedError {
  constructor() {
    super(
      'BODY_ALREADY_READ',
      'The host has already read the body of this request: send it as application/octet-stream; or, in the host, mount the gateway before the body parser',
    );
  }
}
