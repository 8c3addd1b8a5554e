/** As many as that may be in one package. */
export const maxOwnFiles = 10_000;

const own = [
  /^META-INF\/(MANIFEST\.MF|properties\.xml|properties-[^/]+\.xml)$/,
  /^app\/[^/]+$/,
  /^conf\/[^/]+\.xml$/,
  /^resources\/(services\.json|ui\/ui\.json|ui\/dashboards\/[^/]+)$/,
  /\.jar$/i,
];

/** Whether the gateway itself looks for it in packages: manifests, properties, applications, configurations, jars. */
export const isOwnFile = (name: string): boolean => own.some((pattern) => pattern.test(name));
