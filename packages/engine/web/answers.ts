import { GatewayError } from 'headgate/driver-kit';

/** What the web services of the embedded engine say. */
export interface Answer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
}

export interface Asked {
  readonly method: string;
  /** Decoded segments of the path behind the base. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** Parsed; `undefined` when nothing was sent. */
  readonly body: unknown;
}

/** Numbers as numbers: the resource manager, and a few places of masters. */
export const json = (value: unknown, status = 200): Answer => ({ status, body: JSON.stringify(value) });

/** `docs/decisions.md`, Numbers of masters are texts: 64 bits survive every reader. */
export const quoted = (value: unknown): Answer => ({
  status: 200,
  body: JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'number' ? String(inner) : inner)),
});

const names: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  403: 'AuthorizationException',
  404: 'NotFoundException',
  405: 'UnsupportedOperationException',
  409: 'IllegalStateException',
};

/** As Hadoop's servers tell an error. */
export function remoteException(status: number, message: string): Answer {
  const exception = names[status] ?? 'RuntimeException';
  const javaClassName = `${status === 404 || status === 400 ? 'org.apache.hadoop.yarn.webapp.' : 'java.lang.'}${exception}`;
  return json({ RemoteException: { exception, message, javaClassName } }, status);
}

/** Our own sentences are for everybody; of anything else nothing is told. */
export const failed = (error: unknown): Answer =>
  error instanceof GatewayError
    ? remoteException(error.status, error.message)
    : remoteException(500, 'Something went wrong on the server');

export const unknownPath: Answer = remoteException(404, 'There is nothing at this path');
