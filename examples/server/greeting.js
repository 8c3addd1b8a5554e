/** What a newcomer needs next: where, who, and three lines to try. */
export function greeting(url, { generatedPassword, givenPassword }) {
  const password = generatedPassword ?? 'PASSWORD';
  const login = generatedPassword
    ? `user admin, password ${generatedPassword}   (generated; shown this once)`
    : givenPassword
      ? 'user admin, with the password from HEADGATE_ADMIN_PASSWORD at the first start'
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
