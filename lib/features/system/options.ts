import { type OptionCheck, option } from '../../runtime/option-checks.js';

/** How the product is installed; consoles show another assistant for each. */
export type InstallOptions =
  | { readonly mode: 'evaluation' | 'community' }
  /** It exists for one application, whose package is there from the start. */
  | { readonly mode: 'app'; readonly appPackageName: string; readonly appPackageVersion: string };

const mode = option.needed(
  option.oneOf('evaluation', 'community', 'app'),
  "'evaluation', 'community' or 'app'",
);
const modeAlone = option.group({ mode });
const modeOfApp = option.group({
  mode,
  appPackageName: option.needed(option.text, 'the name of the package that is there from the start'),
  appPackageVersion: option.needed(option.text, 'the version of that package'),
});

export const installOptions: OptionCheck = {
  problem: (given, place) => (isForApp(given) ? modeOfApp : modeAlone).problem(given, place),
};

const isForApp = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'mode' in given && given.mode === 'app';
