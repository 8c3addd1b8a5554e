import { createConfig, lintFromString } from '@redocly/openapi-core';

/** What a public linter says of an OpenAPI or AsyncAPI document, by its stricter rules but for those that are `off`. */
export async function lint(document: object, off: readonly string[] = []): Promise<string[]> {
  const rules = Object.fromEntries(off.map((name) => [name, 'off' as const]));
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/document.json',
    config,
  });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}
