import type { Issue } from '../../model/applications.js';

export interface HealthReason {
  readonly part: string;
  readonly message: string;
}

/** One thing that an administrator should know of. */
export interface IssueRule {
  readonly key: string;
  readonly severity: Issue['severity'];
  /** Of the one property that cures it. */
  readonly propertyName?: string;
  /** What `GET health` says of it to everybody, who learns nothing of what is kept. Default: nothing. */
  readonly health?: HealthReason;
  /** Resolves a sentence for the administrator while it is so. */
  find(): Promise<string | undefined> | string | undefined;
}

/** In the order of the rules. One that can't be looked at hides none of the others. */
export async function findIssues(
  rules: readonly IssueRule[],
  onError: (key: string, error: unknown) => void,
): Promise<Issue[]> {
  const found = await Promise.all(
    rules.map(async ({ find, health: _, ...issue }): Promise<Issue[]> => {
      try {
        const description = await find();
        return description === undefined ? [] : [{ ...issue, description }];
      } catch (error) {
        onError(issue.key, error);
        return [];
      }
    }),
  );
  return found.flat();
}

/** Of those that everybody may know of. */
export async function findHealthReasons(
  rules: readonly IssueRule[],
  onError: (key: string, error: unknown) => void,
): Promise<HealthReason[]> {
  const shown = rules.filter(({ health }) => health !== undefined);
  const found = await findIssues(shown, onError);
  return shown.flatMap(({ key, health }) =>
    health && found.some((issue) => issue.key === key) ? [health] : [],
  );
}
