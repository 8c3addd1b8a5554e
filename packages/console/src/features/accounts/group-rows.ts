/** One group while it is edited. */
export interface GroupRow {
  readonly key: string;
  readonly group: string;
  readonly roles: readonly string[];
}

interface GroupEntry {
  readonly group: string;
  readonly roles?: readonly string[] | undefined;
  /** The other spelling that the API takes. */
  readonly role?: readonly string[] | undefined;
}

/** The two spellings of roles are one here. */
export const rowsOf = (entries: readonly GroupEntry[]): GroupRow[] =>
  entries.map(({ group, roles, role }, index) => ({
    key: `${index} ${group}`,
    group,
    roles: roles ?? role ?? [],
  }));

/** What is sent; a line without a name is none. */
export const mappingOf = (rows: readonly GroupRow[]) => ({
  groupMapping: rows
    .filter(({ group }) => group.trim() !== '')
    .map(({ group, roles }) => ({ group: group.trim(), roles: [...roles] })),
});
