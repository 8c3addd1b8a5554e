export interface Role {
  readonly name: string;
  readonly permissions: readonly string[];
}

/** What somebody has set in the matrix and not saved: by role, by permission, whether it is given. Only what differs is in it. */
export type Draft = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

export interface Change {
  readonly role: string;
  readonly permission: string;
  readonly isGiven: boolean;
}

const has = (roles: readonly Role[], role: string, permission: string): boolean =>
  roles.find(({ name }) => name === role)?.permissions.includes(permission) ?? false;

/** What a cell shows. */
export const isGiven = (roles: readonly Role[], draft: Draft, role: string, permission: string): boolean =>
  draft[role]?.[permission] ?? has(roles, role, permission);

/** One cell turned round; turned back, it is no change any more. */
export function toggled(roles: readonly Role[], draft: Draft, role: string, permission: string): Draft {
  const wanted = !isGiven(roles, draft, role, permission);
  const { [permission]: _, ...others } = draft[role] ?? {};
  const ofRole = wanted === has(roles, role, permission) ? others : { ...others, [permission]: wanted };
  const { [role]: __, ...rest } = draft;
  return Object.keys(ofRole).length === 0 ? rest : { ...rest, [role]: ofRole };
}

/** What would be saved, against the roles as they are now: what somebody else has done meanwhile is no change. */
export const changesOf = (roles: readonly Role[], draft: Draft): Change[] =>
  Object.entries(draft).flatMap(([role, cells]) =>
    roles.some(({ name }) => name === role)
      ? Object.entries(cells)
          .filter(([permission, isGiven]) => isGiven !== has(roles, role, permission))
          .map(([permission, isGiven]) => ({ role, permission, isGiven }))
      : [],
  );

/** Each role that changes, whole: a role is written at once with all its permissions. */
export function changedRoles(roles: readonly Role[], draft: Draft): Role[] {
  const names = new Set(changesOf(roles, draft).map(({ role }) => role));
  return roles.filter(({ name }) => names.has(name)).map((role) => withDraft(role, draft));
}

function withDraft({ name, permissions }: Role, draft: Draft): Role {
  const cells = draft[name] ?? {};
  const kept = permissions.filter((permission) => cells[permission] !== false);
  const added = Object.keys(cells).filter(
    (permission) => cells[permission] === true && !permissions.includes(permission),
  );
  return { name, permissions: [...kept, ...added] };
}

/** What makes an administrator: whoever has none of these can't give themselves anything back. */
const administering = ['MANAGE_ROLES', 'MANAGE_USERS'] as const;

/** Which of those rights the caller would lose: none of their roles gives them any more. `own`: names of the caller's roles. */
export function lostRights(roles: readonly Role[], draft: Draft, own: readonly string[]): string[] {
  const mine = roles.filter(({ name }) => own.includes(name));
  const then = mine.map((role) => withDraft(role, draft));
  const gives = (all: readonly Role[], right: string) => all.some((role) => role.permissions.includes(right));
  return administering.filter((right) => gives(mine, right) && !gives(then, right));
}

/** The same when the caller's roles become `next`. */
export function lostByRoles(
  roles: readonly Role[],
  own: readonly string[],
  next: readonly string[],
): string[] {
  const gives = (names: readonly string[], right: string) =>
    roles.some(({ name, permissions }) => names.includes(name) && permissions.includes(right));
  return administering.filter((right) => gives(own, right) && !gives(next, right));
}
