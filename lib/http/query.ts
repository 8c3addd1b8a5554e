import { BadRequest } from '../model/errors.js';

const maxQueryLength = 8 * 1024;

/** Query parameters as text. One given twice is refused: two readers would choose differently. */
export function parseQuery(search: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  if (search === '') return values;
  if (search.length > maxQueryLength)
    throw new BadRequest('MALFORMED_QUERY', `The query is longer than ${maxQueryLength} characters`);
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in values) {
      throw new BadRequest('MALFORMED_QUERY', `The query parameter ${name} is given twice`, [
        { path: `query.${name}`, message: 'given twice' },
      ]);
    }
    values[name] = value;
  }
  return values;
}
