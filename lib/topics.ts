/** All topics that the gateway publishes: one line a room. Each key is also the name of the room's service. */
export const topics = {};
