import type { JarReader } from '../../interfaces/jar-reader.js';

const shownProblems = 100;

const message =
  'it was not read: createGateway({ packages: { jars } }) takes a reader of jars, jarReader() of @headgate/jars';

/** In the place of a reader that the host did not give: says so of each jar. */
export const unreadJars: JarReader = {
  format: 0,
  read: async ({ files }) => ({
    applications: [],
    classes: [],
    operatorTypes: [],
    types: {},
    problems: files
      .filter(({ name }) => /^(app|lib)\/.*\.jar$/i.test(name))
      .slice(0, shownProblems)
      .map(({ name }) => ({ file: name, message })),
  }),
  applications: async () => [],
  programs: async () => [],
};
