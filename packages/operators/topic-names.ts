/** A topic as a property names it, with `{appId}` and `{operator}` put in. */
export const topicOf = (
  name: string,
  context: { readonly applicationId: string; readonly operatorName: string },
): string =>
  name.replace(/\{(appId|operator)\}/g, (_, what) =>
    what === 'appId' ? context.applicationId : context.operatorName,
  );
