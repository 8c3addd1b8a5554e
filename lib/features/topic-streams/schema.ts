import * as z from 'zod';

export const TopicName = z.object({ topic: z.string() });
