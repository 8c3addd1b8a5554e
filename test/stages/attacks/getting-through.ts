// Which answers say that a body got through to the end of the work, and which operations take no large one.

/** Characters that at least one body of each operation has that gets through. */
const large = 100_000;

/** Operations whose largest right body is smaller: at least so many characters, and why there are no more. */
const smaller: Readonly<Record<string, { readonly atLeast: number; readonly why: string }>> = {
  putRole: { atLeast: 20_000, why: 'a thousand names of permissions, each of which there is' },
  createUser: { atLeast: 8_000, why: 'a password of 1,024 characters and 100 names of roles' },
  changeUser: { atLeast: 10_000, why: 'two passwords of 1,024 characters and 100 names of roles' },
  login: { atLeast: 2_000, why: 'a name and a password of 1,024 characters' },
  createToken: { atLeast: 3_000, why: 'a hundred names of permissions, each of which there is' },
  planPackageApplication: { atLeast: -1, why: 'the embedded engine runs no code to tell a plan' },
  samplePackageApplication: { atLeast: -1, why: 'the embedded engine has no SQL' },
  startSavepoint: { atLeast: -1, why: 'the embedded engine has no savepoints' },
  startProfile: { atLeast: -1, why: 'the embedded engine has no profiles' },
  startOperatorRecording: { atLeast: 16, why: 'a number of windows is all that it takes' },
  startPortRecording: { atLeast: 16, why: 'a number of windows is all that it takes' },
  mergePackages: { atLeast: 40, why: 'two names: what is large are the packages' },
  importPackages: { atLeast: 25_000, why: 'a hundred names of files' },
  putProperty: { atLeast: 32_000, why: 'a value and a description of 16,384 characters' },
  putContainerRuntime: { atLeast: 8_000, why: 'an address of 4,096 characters' },
  putClusterExecutable: { atLeast: 4_000, why: 'the path of a program, which may have 4,096 characters' },
  putUsageSwitch: { atLeast: 14, why: 'yes or no' },
  putAlert: { atLeast: 90_000, why: 'a condition of 65,536 characters, fifty addresses and a description' },
  putSmtpConfig: { atLeast: 2_300, why: 'names, addresses and a password, each of them short' },
  addLicense: { atLeast: 60_000, why: 'licenses have 64 KiB' },
};

export const atLeastOf = (operation: string): number => smaller[operation]?.atLeast ?? large;

/** Stands alone where an operation does its work only to refuse it: what its answer says then. */
const refusedAtTheEnd: Readonly<Record<string, RegExp>> = {
  // The last of many changes is wrong, or what all of them come to is more than the engine runs.
  changeLogicalPlan: /there is no operator \\"nobody\\"/,
  forwardMasterPost: /there is no operator \\"nobody\\"/,
  // The embedded engine reads what comes, and does nothing of the kind.
  forwardManagerPost: /The local engine runs JSON applications and packages/,
  forwardMasterPut: /PUT is not for this path/,
  forwardMasterDelete: /DELETE is not for this path/,
};

/** Masters say what is wrong with a change in an answer that is none. */
export const gotThrough = (operation: string, status: number, text: string): boolean =>
  (status < 300 && !(operation === 'forwardMasterPost' && text.startsWith('{"error":'))) ||
  refusedAtTheEnd[operation]?.test(text) === true;

/** Of each operation that the tables name. */
export const reasons: readonly string[] = [...Object.keys(smaller), ...Object.keys(refusedAtTheEnd)];
