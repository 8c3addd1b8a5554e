import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AppId } from '../../model/applications.js';
import { OperatorId, PortName } from '../../model/physical-plan.js';
import {
  Recording,
  RecordingId,
  RecordingIdReply,
  RecordingList,
  RecordingStart,
  TupleBatch,
  TuplesQuery,
} from '../../model/recordings.js';
import type { RecordingService } from './service.js';

const route = routeFor<RecordingService>();
const startBody = jsonBody(RecordingStart, { optional: true });
const requires = 'master.recorder';

export const recordingRoutes = {
  listApplicationRecordings: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/recordings',
    access: 'user',
    resource: 'application read',
    requires,
    summary: 'List the recordings of all operators, in the order of their start',
    params: AppId,
    reply: json(RecordingList),
    handle: async (recordings, call) => ({
      recordings: [...(await recordings.listAll(call, call.params.appid))],
    }),
  }),
  startOperatorRecording: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/recordings/start',
    access: 'user',
    resource: 'application change',
    requires,
    summary: 'Record the tuples of all ports of an operator, from its next window on',
    params: OperatorId,
    body: startBody,
    reply: json(RecordingIdReply),
    handle: async (recordings, call) => ({ id: await recordings.start(call, call.params, call.body) }),
  }),
  stopOperatorRecording: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/recordings/stop',
    access: 'user',
    resource: 'application change',
    requires,
    summary: 'End what is being recorded of an operator and of its ports',
    params: OperatorId,
    reply: empty,
    handle: (recordings, call) => recordings.stop(call, call.params),
  }),
  startPortRecording: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/ports/{portName}/recordings/start',
    access: 'user',
    resource: 'application change',
    requires,
    summary: 'Record the tuples of one port, from the next window of its operator on',
    params: PortName,
    body: startBody,
    reply: json(RecordingIdReply),
    handle: async (recordings, call) => ({ id: await recordings.start(call, call.params, call.body) }),
  }),
  stopPortRecording: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/ports/{portName}/recordings/stop',
    access: 'user',
    resource: 'application change',
    requires,
    summary: 'End what is being recorded of one port',
    params: PortName,
    reply: empty,
    handle: (recordings, call) => recordings.stop(call, call.params),
  }),
  listOperatorRecordings: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/recordings',
    access: 'user',
    resource: 'application read',
    requires,
    summary: 'List the recordings of an operator and of its ports',
    params: OperatorId,
    reply: json(RecordingList),
    handle: async (recordings, call) => ({ recordings: [...(await recordings.list(call, call.params))] }),
  }),
  getRecording: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/recordings/{id}',
    access: 'user',
    resource: 'application read',
    requires,
    summary: 'Read what one recording holds, while it grows too',
    params: RecordingId,
    reply: json(Recording),
    handle: (recordings, call) => recordings.get(call, call.params),
  }),
  deleteRecording: route({
    method: 'DELETE',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/recordings/{id}',
    access: 'user',
    resource: 'application change',
    requires,
    summary: 'Delete a recording that has ended',
    params: RecordingId,
    reply: empty,
    handle: (recordings, call) => recordings.remove(call, call.params),
  }),
  getRecordedTuples: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/recordings/{id}/tuples',
    access: 'user',
    resource: 'application read',
    requires,
    summary: 'Read tuples of a recording, by their number or from a window on',
    params: RecordingId,
    query: TuplesQuery,
    reply: json(TupleBatch),
    handle: (recordings, call) => recordings.tuples(call, call.params, call.query),
  }),
};
