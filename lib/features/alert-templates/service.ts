import type { DocumentStore } from '../../interfaces/storage.js';
import { InvalidInput, NotFound } from '../../model/errors.js';
import { collection } from '../../storage/collection.js';
import type { AlertTemplate, TemplateContent, TemplateInput, TemplateValues } from './schema.js';
import { shippedTemplates } from './shipped.js';
import { StoredTemplate } from './stored.js';

export interface AlertTemplateService {
  /** The shipped ones in their order, then the others by name. */
  list(): Promise<AlertTemplate[]>;
  get(name: string): Promise<AlertTemplate>;
  /** Creates or replaces, shipped ones too. Rejects with `InvalidInput` naming all that is wrong. */
  put(name: string, input: TemplateInput): Promise<void>;
  /** Shipped ones too: a later PUT brings their name back. */
  remove(name: string): Promise<void>;
  /**
   * The condition that a template makes of these values, which are literals in it. Rejects with `InvalidInput` naming
   * what is missing or does not fit; `where` is before their names, such as `body.values`.
   */
  fill(name: string, values: TemplateValues, where: string): Promise<string>;
}

/** Templates besides the shipped ones. */
const maxTemplates = 1000;

export function createAlertTemplateService(deps: { documents: DocumentStore }): AlertTemplateService {
  const kept = collection(deps.documents, 'alert-templates', StoredTemplate);

  async function contentOf(name: string): Promise<TemplateContent> {
    const stored = await kept.get(name);
    const content = stored ? stored.value.content : shippedTemplates.get(name);
    if (!content) throw new NotFound('alert template', name);
    return content;
  }

  const all = async (): Promise<Map<string, TemplateContent>> => {
    const found = new Map(shippedTemplates);
    for (const { key, value } of await kept.list()) {
      if (value.content) found.set(key, value.content);
      else found.delete(key);
    }
    return found;
  };

  return {
    list: async () => Array.from(await all(), ([name, content]) => shown(name, content)),
    get: async (name) => shown(name, await contentOf(name)),

    async put(name, input) {
      const content = contentFrom(input);
      const { templateIssues } = await loadFilling();
      const issues = await templateIssues(content);
      if (issues.length > 0) throw new InvalidInput(issues);
      const names = await all();
      if (!names.has(name) && names.size >= maxTemplates + shippedTemplates.size) {
        throw new InvalidInput([
          { path: 'params.name', message: `there are ${maxTemplates} templates already` },
        ]);
      }
      await kept.put(name, { content });
    },

    async remove(name) {
      await contentOf(name);
      if (shippedTemplates.has(name)) await kept.put(name, {});
      else await kept.remove(name);
    },

    async fill(name, values, where) {
      const { fillTemplate } = await loadFilling();
      return fillTemplate(await contentOf(name), values, where);
    },
  };
}

/** With the parser of scripts, which a gateway without templates of its own never needs. */
const loadFilling = () => import('./fill.js');

const shown = (name: string, content: TemplateContent): AlertTemplate => ({
  name,
  isSystemTemplate: true,
  ...content,
});

const contentFrom = ({ parameters, ...rest }: TemplateInput): TemplateContent => ({
  ...rest,
  parameters: parameters.map(({ default: value, values, ...parameter }) => ({
    ...parameter,
    ...(value === undefined ? {} : { default: value }),
    ...(values === undefined ? {} : { values }),
  })),
});
