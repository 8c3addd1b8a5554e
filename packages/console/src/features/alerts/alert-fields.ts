/** What somebody types for an alert. */
export interface AlertFields {
  readonly name: string;
  readonly condition: string;
  readonly email: string;
  readonly description: string;
  readonly thresholdSeconds: number;
  readonly disabled: boolean;
}

/** What is being typed, and what it began from: a change by somebody else is noticed when it is saved. */
export interface AlertDraft {
  readonly fields: AlertFields;
  readonly base: AlertFields;
}

interface Kept {
  readonly name: string;
  readonly condition: string;
  readonly email: string;
  readonly description: string;
  readonly timeThresholdMillis: number;
  readonly disabled: boolean;
}

export const noFields: AlertFields = {
  name: '',
  condition: '',
  email: '',
  description: '',
  thresholdSeconds: 0,
  disabled: false,
};

export const fieldsOf = ({ timeThresholdMillis, ...alert }: Kept): AlertFields => ({
  name: alert.name,
  condition: alert.condition,
  email: alert.email,
  description: alert.description,
  disabled: alert.disabled,
  thresholdSeconds: timeThresholdMillis / 1000,
});

export const bodyOf = ({ thresholdSeconds, ...fields }: AlertFields): Kept => ({
  ...fields,
  timeThresholdMillis: Math.round(thresholdSeconds * 1000),
});

export const isSame = (one: AlertFields, other: AlertFields): boolean =>
  JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));

/** What is missing, in the order of the screen; `undefined`: it can be saved. */
export const missingIn = ({
  name,
  condition,
  email,
}: AlertFields): 'name' | 'condition' | 'email' | undefined =>
  name.trim() === ''
    ? 'name'
    : condition.trim() === ''
      ? 'condition'
      : email.trim() === ''
        ? 'email'
        : undefined;

/**
 * Whether what is kept now is another thing than what was begun from: changed or deleted by somebody else, or for a new alert, a
 * name that is taken.
 */
export function conflictOf(
  base: AlertFields,
  now: Kept | undefined,
): 'changed' | 'deleted' | 'taken' | undefined {
  if (base.name === '') return now ? 'taken' : undefined;
  if (!now) return 'deleted';
  return isSame(base, fieldsOf(now)) ? undefined : 'changed';
}
