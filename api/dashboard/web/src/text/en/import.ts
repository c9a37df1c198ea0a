// The texts of the import of offers and smartlinks.
import { counted } from '../words.ts'

const some = counted('en')
const of = (n: number, kind: 'offers' | 'links') => (kind === 'offers' ? some(n, 'offer', 'offers') : some(n, 'smartlink', 'smartlinks'))

export const words = {
  title: 'Row',
  kind: 'What is imported',
  kinds: { offers: 'Offers', links: 'Smartlinks' },
  texts: {
    offers: 'Makes an offer of each row. An offer with the same name stays as it is.',
    links: 'Makes a smartlink of each row. An existing one with the same domain and slug stays as it is.',
  },
  mapOf: (cell: string) => `What the column ${cell} is`,
  tooMany: (shown: string) => `The file has ${shown} rows; at most 1,000 are imported at a time.`,
  fields: {
    name: 'name',
    url: 'URL',
    network: 'network',
    payout: 'payout',
    payout_type: 'kind of payout',
    currency: 'currency',
    country: 'country',
    daily_cap: 'daily cap',
    group: 'group',
    tags: 'tags',
    notes: 'notes',
    slug: 'slug',
    destination_url: 'destination URL',
    domain: 'domain',
    source: 'source',
  } as Record<string, string>,
  apply: (n: number) => `Import ${some(n, 'row', 'rows')}`,
  stop: 'Stop',
  stopped: 'The import was stopped before this row.',
  stale: 'The file has changed since the dry run. Repeat the dry run.',
  room: (n: number, kind: 'offers' | 'links') => `The plan has room for ${of(n, kind)} more; the rest will be left out.`,
  running: 'Rows are imported',
  askTitle: 'Import the rows',
  askText: (n: number, kind: 'offers' | 'links') =>
    `${of(n, kind)} will be made. Rows that exist or are refused are left out. If the same rows are imported again, nothing is created twice.`,
  go: 'Import',
  done: (n: number) => `${some(n, 'row is', 'rows are')} imported`,
  point: 'Decimals',
  pointHint: 'For amounts such as 1.234, which one file means as 1234 and another as a little more than 1.',
  points: { ask: 'Ask where it is not clear', dot: '1,234.50', comma: '1.234,50' },
  readOnly: 'Your role may not import.',
  target: 'Destination',
  result: 'Result',
  reason: 'Reason',
  results: { new: 'New', exists: 'Exists', refused: 'Refused', made: 'Made', left: 'Left out' },
  isApplied: 'Imported',
  download: 'Result as CSV',
  why: (code: string, o: { field?: string; value?: string }): string =>
    code === 'required'
      ? `The ${words.fields[o.field ?? ''] ?? o.field} is missing.`
      : code === 'invalid_url'
        ? `“${o.value}” is not a URL that begins with http:// or https://.`
        : code === 'ambiguous'
          ? `“${o.value}” has two meanings. Choose above how decimals are written.`
          : code === 'invalid_number'
            ? `“${o.value}” is no number for the ${words.fields[o.field ?? ''] ?? o.field}.`
            : code === 'invalid_country'
              ? `“${o.value}” is no country of two letters, as in DE.`
              : code === 'invalid_slug'
                ? `“${o.value}” has other characters than letters, digits, _ and -, or more than 64 of them.`
                : code === 'invalid_domain' && !o.value
                  ? 'A smartlink needs a domain of your own: add one at Domains first.'
                  : code === 'repeated'
                    ? `The same as line ${o.value}.`
                    : `There is no ${words.fields[o.field ?? ''] ?? 'domain'} “${o.value}”.`,
  codes: { plan_limit: 'The plan has no room for more.' } as Record<string, string>,
}
