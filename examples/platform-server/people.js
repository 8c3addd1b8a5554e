// The product's own users. Real ones keep hashes and not passwords.
const people = new Map(
  [
    { name: 'ada', password: 'analytical', groups: ['platform-team'], rights: ['change-streams'] },
    { name: 'bob', password: 'builder', groups: ['data-team'], rights: ['change-streams'] },
    { name: 'cyn', password: 'curious', groups: ['data-team'], rights: [] },
  ].map((person) => [person.name, person]),
);

export const personOf = (name) => people.get(name);

export function login({ name, password } = {}) {
  const person = people.get(name);
  return person?.password === password ? person : undefined;
}

/** What the product's groups are at the gateway. */
const rolesOfGroups = { 'platform-team': ['admin'], 'data-team': ['developer'] };

/** What the gateway wants to know of a person. */
export const identityOf = (person) =>
  person && { userName: person.name, roles: person.groups.flatMap((group) => rolesOfGroups[group] ?? []) };

/** The product's own permission check, asked after the gateway's: reading is for everybody, changing needs a right. */
export const rules = {
  operation: ({ method, user }) =>
    method === 'GET' || personOf(user.userName)?.rights.includes('change-streams') === true,
};
