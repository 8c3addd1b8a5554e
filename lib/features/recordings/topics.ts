import { LiveRecording, RecordedTuple } from '../../model/recordings.js';
import { topicFor } from '../../pubsub/topic.js';
import type { RecordingService } from './service.js';

const topic = topicFor<RecordingService>();

export const recordingTopics = {
  recordedTuples: topic({
    name: 'applications.{appid}.tupleRecorder.{startTime}',
    summary: 'Tuples of one recording as they are recorded, up to a number a second',
    access: 'user',
    resource: 'application topics',
    params: LiveRecording,
    data: RecordedTuple,
    kind: 'events',
    may: (recordings, user, { appid }) => recordings.mayWatch(user, appid),
  }),
};
