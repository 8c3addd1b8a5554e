// A cluster driver over pipelines of the system: an operator is a program that reads lines and writes lines, a stream is
// a pipe, a container is a process. What pipelines can't do (saved state, properties at run time) is no facet here.
import { version } from 'node:process';
import {
  BadRequest,
  Conflict,
  checkDefinition,
  createProblems,
  InvalidInput,
  NotFound,
  withProperties,
} from 'headgate/driver-kit';
import { requireRunning, startPipeline } from './pipeline.js';
import { metricsOf, reportOf, viewOf } from './views.js';

/** `programs`: class name to `{ command, reads, writes }`, the only commands that are ever run. */
export function pipelineCluster({ programs }) {
  const applications = new Map();
  const knowledge = {
    classOf: (name) => (Object.hasOwn(programs, name) ? knownClass(programs[name]) : undefined),
    unknownClass: (name) => `there is no program ${JSON.stringify(name)}; there are ${Object.keys(programs)}`,
    attributes: { application: {}, operator: {}, port: {} },
  };

  const find = (appId) => {
    const application = applications.get(appId);
    if (!application) throw new NotFound('application', appId);
    return application;
  };
  const ofMine = (user, name) =>
    [...applications.values()].find((one) => one.user === user && one.name === name && !one.finishedTime);

  function problemsOf(application) {
    const problems = createProblems();
    checkDefinition(application, knowledge, problems);
    return problems.all;
  }

  async function launch({ user, name, application, properties = {}, originalAppId }) {
    if (!application)
      throw new BadRequest(
        'APPLICATION_TYPE_NOT_SUPPORTED',
        'Pipelines are described by JSON applications only',
      );
    if (originalAppId !== undefined) requireEnded(find(originalAppId));
    if (ofMine(user, name))
      throw new Conflict('APPLICATION_NAME_TAKEN', `${user} already runs ${JSON.stringify(name)}`);
    const definition = withProperties(application, { name, properties }, knowledge);
    const problems = problemsOf(definition);
    if (problems.length > 0) throw new InvalidInput(problems);
    const id = `application_${Date.now()}_${String(applications.size + 1).padStart(4, '0')}`;
    applications.set(id, startPipeline({ id, user, name, definition, programs }));
    return id;
  }

  return {
    name: 'pipelines',
    masterFacets: [],
    open: async () => {},
    master: async (appId) => viewOf(find(appId)),
    async close() {
      await Promise.all([...applications.values()].map((one) => one.kill()));
    },
    resourceManager: {
      listApplications: async () => [...applications.values()].map(reportOf),
      getApplication: async (appId) => reportOf(find(appId)),
      async kill(appId) {
        const application = find(appId);
        requireRunning(application);
        application.kill();
      },
      metrics: async () => metricsOf([...applications.values()]),
      about: async () => ({
        engine: { ...noBuild, version: 'pipelines' },
        cluster: { ...noBuild, version: `Node ${version}` },
        location: 'this machine',
        securityEnabled: false,
        haEnabled: false,
      }),
      launcher: {
        launch,
        check: async ({ application }) => problemsOf(application),
        async restart(appId, { user, properties }) {
          const { name, definition } = find(appId);
          return launch({ user, name, application: definition, properties, originalAppId: appId });
        },
      },
    },
  };
}

const noBuild = { buildDate: '', buildRevision: '', buildVersion: '', buildUser: '' };

const knownClass = ({ reads, writes }) => ({
  inputs: reads ? [{ name: 'in', optional: false }] : [],
  outputs: writes ? [{ name: 'out', optional: true }] : [],
  properties: new Set(['arguments']),
});

function requireEnded({ id, finishedTime }) {
  if (!finishedTime) throw new Conflict('APPLICATION_RUNNING', `${id} has not ended: shut it down first`);
}
