import { autocompletion } from '@codemirror/autocomplete';
import { SQLDialect, sql } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';

const keywords =
  'add all alter analyze and any as asc between by cascade case catalog catalogs column columns comment compute constraint create cross current database databases delete desc describe distinct distributed drop else emit end enforced except execute exists explain extended false fetch first following for from full function functions group grouping having if in including inner insert interval into intersect is jar jars join key last lateral left like limit load materialized metadata module modules natural not null nulls of offset on options or order outer over overwrite partition partitioned plan preceding primary proctime range recursive rename replace reset restrict right row rows select session set sets show some statement system_time table tables tablesample temporary then to true unbounded union unload update use using values view views virtual watermark watermarks when where window with within without';
const types =
  'array bigint binary boolean bytes char date decimal double float int integer map multiset numeric precision raw real smallint string time timestamp timestamp_ltz tinyint varbinary varchar variant';
const builtin =
  'abs avg cast ceil coalesce concat count cumulate current_date current_timestamp date_format dense_rank descriptor extract first_value floor hop ifnull json_query json_value lag last_value lead listagg localtimestamp lower max min now nullif rank regexp_extract replace round row_number source_watermark split_index substring sum to_timestamp to_timestamp_ltz trim try_cast tumble unix_timestamp upper window_end window_start window_time';

/** Flink's words; names in backticks. */
const dialect = SQLDialect.define({ keywords, types, builtin, identifierQuotes: '`' });

/** Statements as they are typed, with their words completed. */
export const statementLanguage: readonly Extension[] = [
  sql({ dialect, upperCaseKeywords: true }),
  autocompletion({ icons: false }),
];
