/** What a newcomer needs next: where, who, and three lines to try. */
export function greeting(
  url: string,
  {
    generatedPassword,
    isGiven,
  }: { readonly generatedPassword: string | undefined; readonly isGiven: boolean },
): string {
  const password = generatedPassword ?? 'PASSWORD';
  const login = generatedPassword
    ? `user admin, password ${generatedPassword}   (generated; shown this once)`
    : isGiven
      ? 'user admin, with the password that was given at the first start'
      : 'user admin, with the password that was printed at the first start';
  return `
  Page    ${url}/
  Log in  ${login}

  Try
    curl -u admin:${password} ${url}/ws/v2/applications
    curl -u admin:${password} ${url}/ws/v2/cluster/metrics
    curl ${url}/ws/v2/openapi.json

  Ctrl-C stops it.
`;
}
