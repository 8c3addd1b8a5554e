export type Encoding = 'br' | 'gzip' | 'identity';

/** What stands behind the name of a file in that encoding. */
export const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

/** The smallest of what there is and the client takes (RFC 9110, 12.5.3); as it is, where nothing else will do. */
export function acceptedEncoding(
  accepted: string | string[] | undefined,
  there: Readonly<Partial<Record<Encoding, unknown>>>,
): Encoding {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((part): [string, number] => {
        const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [name, weight === undefined ? 1 : Number(weight.slice(2))];
      }),
  );
  const takes = (name: Encoding) => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  if (there.br !== undefined && takes('br')) return 'br';
  if (there.gzip !== undefined && takes('gzip')) return 'gzip';
  return 'identity';
}
