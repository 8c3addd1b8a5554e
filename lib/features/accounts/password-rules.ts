import { BadRequest, InvalidInput, Unreachable } from '../../model/errors.js';
import { type OptionChecks, option } from '../../runtime/option-checks.js';
import { isPossible, maxPasswordBytes } from './passwords.js';

/**
 * Which passwords accounts of the gateway may be given from now on; those that there are go on working. `docs/decisions.md`,
 * Which passwords are taken.
 */
export interface PasswordOptions {
  /** Characters that a new password has at least; each counts as one, whatever its script. Default: 8. */
  readonly minLength?: number;
  /** Whether a new password may be its user's name, in capitals or not. Default: false. */
  readonly mayBeUserName?: boolean;
  /**
   * The host's own rule, such as a list of passwords that have become known: resolves a sentence for the user when this one is
   * not taken. When it throws the change is answered with 502. Default: none.
   */
  readonly refuse?: (password: string, userName: string) => string | undefined | Promise<string | undefined>;
}

export const passwordOptions: OptionChecks<PasswordOptions> = {
  minLength: option.between(1, 256),
  mayBeUserName: option.flag,
  refuse: option.callback,
};

/** A password that somebody is to have, and the field of the body that it came in. */
interface GivenPassword {
  readonly userName: string;
  readonly field: string;
  readonly password: string;
}

export interface PasswordRules {
  /** Resolves why this can't be the user's password, as a sentence. */
  problem(password: string, userName: string): Promise<string | undefined>;
  /** Rejects with `InvalidInput` for what nobody can have, with `BadRequest` for what is not taken, with `Unreachable` when the host can't tell. */
  require(given: GivenPassword): Promise<void>;
}

export function createPasswordRules(options: PasswordOptions = {}): PasswordRules {
  const { minLength = 8, mayBeUserName = false, refuse } = options;

  async function askHost(password: string, userName: string): Promise<string | undefined> {
    try {
      return await refuse?.(password, userName);
    } catch (error) {
      throw new Unreachable("The host's rule for passwords", error);
    }
  }

  async function problem(password: string, userName: string): Promise<string | undefined> {
    // As it is hashed.
    const normal = password.normalize('NFKC');
    if ([...normal].length < minLength) return `A password has at least ${minLength} characters`;
    if (!mayBeUserName && isSame(normal, userName)) return "A password must not be the user's name";
    return askHost(password, userName);
  }

  return {
    problem,
    async require({ userName, field, password }) {
      if (!isPossible(password)) {
        throw new InvalidInput([
          { path: `body.${field}`, message: `a password has 1 to ${maxPasswordBytes} bytes` },
        ]);
      }
      const why = await problem(password, userName);
      if (why !== undefined) throw new BadRequest('PASSWORD_REFUSED', why);
    },
  };
}

const isSame = (password: string, userName: string): boolean =>
  password.toLowerCase() === userName.normalize('NFKC').toLowerCase();
