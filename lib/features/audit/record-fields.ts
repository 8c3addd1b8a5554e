import { isSecretName } from '../../formats/secret-names.js';
import type { BegunOperation, OperationOutcome } from '../../http/trace.js';
import type { Clock } from '../../interfaces/clock.js';
import { type Redact, redactorFor } from './redact.js';
import type { AuditRecord, AuditResult } from './schema.js';

/** All that a record says but its id. */
export type RecordFields = Omit<AuditRecord, 'id'>;

/** What records say of operations, without secrets and within bounds. */
interface RecordWriter {
  begun(operation: BegunOperation): RecordFields;
  /** `fields` are those of its beginning. */
  ended(fields: RecordFields, outcome: OperationOutcome): RecordFields;
}

/** Query and body together have so many characters at most, as JSON; more is left out. */
const maxInputLength = 4096;

export function createRecordWriter(clock: Clock): RecordWriter {
  const redactors = new Map<string, Redact>();

  /** Made when it is needed first: many operations never are. */
  function redactorOf({ id, route }: BegunOperation['listed']): Redact {
    const known = redactors.get(id) ?? redactorFor(route.body?.schema);
    redactors.set(id, known);
    return known;
  }

  function bodyOf({ listed, params }: BegunOperation, sent: unknown): unknown {
    const { body: declared } = listed.route;
    const body = declared?.kind === 'json' ? (declared.described?.(sent) ?? sent) : undefined;
    if (body === undefined) return undefined;
    return Object.values(params).some(isSecretName) ? '***' : redactorOf(listed)(body);
  }

  function inputOf(operation: BegunOperation): object | undefined {
    const { input } = operation;
    if (!input) return undefined;
    const query = redactQuery(input.query);
    const body = bodyOf(operation, input.body);
    if (query === undefined) return body === undefined ? undefined : { body };
    return body === undefined ? { query } : { query, body };
  }

  return {
    begun(operation) {
      const { listed, user } = operation;
      const { scheme, sessionId } = user.identity;
      // All members in one literal, also those that it lacks: V8 gives all records one shape then.
      return bounded({
        time: clock.now(),
        requestId: operation.requestId,
        userName: user.userName || nameGiven(operation),
        authScheme: scheme,
        session: sessionId,
        remoteAddress: operation.remoteAddress,
        operation: listed.id,
        method: listed.route.method,
        target: operation.path,
        result: 'unknown',
        status: 0,
        code: undefined,
        input: inputOf(operation),
      });
    },
    ended: (fields, { status, error }) => ({
      ...fields,
      time: clock.now(),
      result: resultOf(status),
      status,
      code: error?.code,
    }),
  };
}

function bounded(fields: RecordFields): RecordFields {
  if (fields.input === undefined || mostLength(fields.input) <= maxInputLength) return fields;
  const { length } = JSON.stringify(fields.input);
  return length > maxInputLength ? { ...fields, input: { leftOut: `${length} characters` } } : fields;
}

/** No less than the length of a value's JSON, and much sooner known. */
function mostLength(value: unknown): number {
  if (typeof value === 'string') return 2 + 6 * value.length;
  // The longest number has 24 characters.
  if (typeof value !== 'object' || value === null) return 24;
  let length = 2;
  for (const [name, member] of Object.entries(value)) length += 4 + 6 * name.length + mostLength(member);
  return length;
}

const redactQuery = redactorFor(undefined);

const resultOf = (status: number): AuditResult =>
  status < 400 ? 'done' : status < 499 ? 'refused' : 'failed';

/** Nobody is logged in yet at a login. */
function nameGiven({ input }: BegunOperation): string {
  const body = input?.body;
  if (typeof body !== 'object' || body === null || !('userName' in body)) return '';
  return typeof body.userName === 'string' ? body.userName.slice(0, 128) : '';
}
