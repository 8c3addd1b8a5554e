import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { GatewayError, NotFound } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended, eventually } from './cluster-waiting.js';
import { given, offered } from './skipping.js';

const over = { code: 'APPLICATION_ENDED' };

/** The facets of masters that change what runs: properties and the plan. */
export function clusterChanges(test: ClusterTest): void {
  propertyTests(test);
  planEditorTest(test);
}

function propertyTests(test: ClusterTest): void {
  test('properties: read of each operator, and what is unknown is NotFound', async ({
    launch,
    request,
    values: form,
  }) => {
    const told = toldAs[form];
    const { master } = await launch();
    const properties = offered('master.properties', master.properties);
    const physical = master.physicalProperties;
    for (const { name, class: className } of request.application.operators) {
      const { class: type, ...values } = await properties.readLogical(name);
      assert.equal(type, className);
      const operators = (await master.physicalPlan()).operators.filter(
        ({ logicalName, isUnifier }) => logicalName === name && !isUnifier,
      );
      for (const { id } of operators) assert.deepEqual(told(await properties.readOperator(id)), told(values));
      await assert.rejects(properties.writeLogical(name, { 'no such property': 1 }), NotFound);
    }
    for (const unknown of ['no', '__proto__', '99']) {
      await assert.rejects(properties.readLogical(unknown), NotFound);
      await assert.rejects(properties.readOperator(unknown), NotFound);
      await assert.rejects(properties.writeLogical(unknown, {}), NotFound);
      if (physical) await assert.rejects(physical.write(unknown, {}), NotFound);
    }
  });

  test('properties: a write reaches the operators, one that does not fit changes nothing', async ({
    driver,
    launch,
    property,
    timeoutMillis,
    values,
    afterTheEnd,
  }) => {
    const told = toldAs[values];
    const { id, master } = await launch();
    const properties = offered('master.properties', master.properties);
    const physical = master.physicalProperties;
    const { operatorName, name, value, refused } = given('property', property);
    const [partition] = (await master.physicalPlan()).operators.filter(
      ({ logicalName }) => logicalName === operatorName,
    );
    assert.ok(partition);
    const before = await properties.readLogical(operatorName);
    assert.notDeepEqual(told(before[name]), told(value));
    const isRefused = (error: unknown) => error instanceof GatewayError && error.status === 400;
    await assert.rejects(properties.writeLogical(operatorName, { [name]: refused }), isRefused);
    if (physical) await assert.rejects(physical.write(partition.id, { [name]: refused }), isRefused);
    assert.deepEqual(await properties.readLogical(operatorName), before);

    await properties.writeLogical(operatorName, { [name]: String(value) });
    assert.deepEqual(told((await properties.readLogical(operatorName))[name]), told(value));
    await eventually(timeoutMillis, async () =>
      isDeepStrictEqual(told((await properties.readOperator(partition.id))[name]), told(value)),
    );
    if (physical) {
      await physical.write(partition.id, { [name]: before[name] });
      await eventually(timeoutMillis, async () =>
        isDeepStrictEqual(told((await properties.readOperator(partition.id))[name]), told(before[name])),
      );
      assert.deepEqual(told((await properties.readLogical(operatorName))[name]), told(value));
    }
    const written = (await master.events?.read({ offset: 0, limit: 1000 })) ?? [];
    const types = written.flatMap(({ type, data }) => (data['propertyName'] === name ? [type] : []));
    const ofPartition = physical ? ['SetPhysicalOperatorProperty'] : [];
    if (master.events) assert.deepEqual(types, ['SetOperatorProperty', ...ofPartition]);

    await driver.resourceManager.kill(id);
    await ended(driver, id, timeoutMillis);
    const afterwards = await driver.master(id);
    assert.ok(afterwards.properties);
    const last = afterwards.properties.readLogical(operatorName);
    if (afterTheEnd === 'lost') await assert.rejects(last, over);
    else assert.deepEqual(told((await last)[name]), told(value));
    await assert.rejects(afterwards.properties.writeLogical(operatorName, { [name]: value }), over);
    if (afterwards.physicalProperties)
      await assert.rejects(afterwards.physicalProperties.write(partition.id, { [name]: value }), over);
  });
}

function planEditorTest(test: ClusterTest): void {
  test('planEditor: a batch takes effect as a whole, one that does not fit changes nothing', async ({
    launch,
    request,
    timeoutMillis,
  }) => {
    const { master } = await launch();
    const planEditor = offered('master.planEditor', master.planEditor);
    const plan = await master.logicalPlan();
    const last = plan.operators.at(-1);
    const into = plan.streams.find(({ sinks }) =>
      sinks.some(({ operatorName }) => operatorName === last?.name),
    );
    const end = into?.sinks.find(({ operatorName }) => operatorName === last?.name);
    assert.ok(last && into && end, 'the application ends with an operator that reads a stream');
    const create = {
      requestType: 'CreateOperatorRequest',
      operatorName: `${last.name}-too`,
      operatorFQCN: last.class,
    } as const;
    const connect = {
      requestType: 'AddStreamSinkRequest',
      streamName: into.name,
      sinkOperatorName: create.operatorName,
      sinkOperatorPortName: end.portName,
    } as const;
    await assert.rejects(
      planEditor.change([create, { ...connect, streamName: 'no such stream' }]),
      (error) =>
        error instanceof GatewayError && error.status === 400 && /no such stream/.test(error.message),
    );
    assert.deepEqual(await master.logicalPlan(), plan, 'nothing has changed');

    const ids = (await master.physicalPlan()).operators.map(({ id }) => id);
    await planEditor.change([create, connect]);
    assert.equal((await master.logicalPlan()).operators.length, request.application.operators.length + 1);
    await eventually(timeoutMillis, async () => {
      const { operators } = await master.physicalPlan();
      const added = operators.filter(({ id }) => !ids.includes(id));
      return (
        added.length > 0 &&
        added.every((one) => one.status === 'ACTIVE' && (one.totalTuplesProcessed ?? 0) > 0)
      );
    });
    await planEditor.change([{ requestType: 'RemoveOperatorRequest', operatorName: create.operatorName }]);
    assert.equal((await master.logicalPlan()).operators.length, request.application.operators.length);
    await eventually(timeoutMillis, async () => {
      const { operators } = await master.physicalPlan();
      return (
        operators.length === ids.length &&
        operators.every(({ id, status }) => ids.includes(id) && status === 'ACTIVE')
      );
    });
    await master.shutdown();
  });
}

const asText = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === 'number' || typeof inner === 'boolean' ? String(inner) : inner,
    ),
  );
/** What is compared of values, by how the engine tells them. */
const toldAs = { exact: (value: unknown) => value, text: asText };
