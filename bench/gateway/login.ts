const user = 'ada';

/**
 * Logs in an ordinary user, who may see and change what is theirs, as a browser would: from another process than the server's,
 * which would keep a client's code and connections else.
 */
export async function loginOfUser(port: number, password: string): Promise<{ user: string; cookie: string }> {
  const call = async (method: string, path: string, body: object, cookie = '') => {
    const answer = await fetch(`http://127.0.0.1:${port}/ws/v2/${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.headers
      .getSetCookie()
      .map((one) => one.split(';', 1)[0])
      .join('; ');
  };
  const admin = await call('POST', 'login', { userName: 'admin', password });
  await call('PUT', `auth/users/${user}`, { password, roles: ['developer'] }, admin);
  return { user, cookie: await call('POST', 'login', { userName: user, password }) };
}
