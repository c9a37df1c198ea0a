// Checks the rows of a file of offers or smartlinks, and turns each row into the body of a call of the API.
import type { Cells, OfferBody, SmartlinkBody } from '../api.gen.ts'
import { linkColumns, offerColumns, type FileColumn } from '../columns.gen.ts'
import { sumOf } from './id.ts'
import { looksLikeURL } from './tokens.ts'

export type Kind = 'offers' | 'links'
export const fields: Record<Kind, FileColumn[]> = { offers: offerColumns, links: linkColumns }

// Known holds the records that exist, the records that a file may name, and the defaults for the domain and the currency.
export type Known = {
  offers: { name: string }[]
  links: { slug: string; domain: string }[]
  networks: { id: string; name: string }[]
  sources: { id: string; name: string }[]
  domains: { id: string; domain: string }[]
  domain: string
  currency: string
}
export type Result = 'new' | 'exists' | 'refused' | 'made' | 'left'
// Row is a record of the file. `code` and `text` give the reason if it is refused.
export type Row = {
  line: number
  title: string
  detail: string
  result: Result
  code: string
  text: string
  id?: string
  body?: OfferBody | SmartlinkBody
}
export type Why = (code: string, of: { field?: string; value?: string }) => string

const fold = (s: string) => s.trim().toLowerCase()
// Point is the decimal point of the file's numbers. It is empty until the person chooses one.
export type Point = '' | '.' | ','

// isAmbiguous reports whether the meaning of a number depends on Point: 1.234 is 1234 or a little more than 1.
const isAmbiguous = (text: string) => /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text)

// numberOf reads a number. If point is empty, a point and a comma are both read as a decimal point. 1.234 is then a little more than
// 1, so the caller refuses ambiguous numbers.
function numberOf(text: string, point: Point) {
  if (!point) return /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : NaN
  const thousands = point === '.' ? ',' : '.'
  return new RegExp(`^-?(\\d+|\\d{1,3}([${thousands}]\\d{3})+)([${point}]\\d+)?$`).test(text)
    ? Number(text.replaceAll(thousands, '').replace(point, '.'))
    : NaN
}
const key = (kind: Kind, body: OfferBody | SmartlinkBody) =>
  kind === 'offers' ? fold((body as OfferBody).name) : (body as SmartlinkBody).domain_id + '/' + fold((body as SmartlinkBody).slug)

class Refused extends Error {
  constructor(
    readonly code: string,
    readonly of: { field?: string; value?: string },
  ) {
    super(code)
  }
}
const named = (list: { id: string; name: string }[], value: string, code: string, name: string) => {
  if (!value) return null
  const found = list.find(o => o.id === value || fold(o.name) === fold(value))
  if (!found) throw new Refused(code, { field: name, value })
  return found.id
}

function bodyOf(kind: Kind, cell: (name: string) => string, known: Known, point: Point): OfferBody | SmartlinkBody {
  for (const f of fields[kind]) if (f.required && !cell(f.name)) throw new Refused('required', { field: f.name })
  const url = cell(kind === 'offers' ? 'url' : 'destination_url')
  if (!looksLikeURL(url)) throw new Refused('invalid_url', { value: url })
  if (kind === 'links') {
    if (!/^[a-z0-9_-]{1,64}$/i.test(cell('slug'))) throw new Refused('invalid_slug', { value: cell('slug') })
    const domain = cell('domain')
      ? known.domains.find(d => d.id === cell('domain') || fold(d.domain) === fold(cell('domain')))?.id
      : known.domain
    if (!domain) throw new Refused('invalid_domain', { value: cell('domain') })
    return {
      slug: cell('slug'),
      destination_url: url,
      domain_id: domain,
      source_id: named(known.sources, cell('source'), 'invalid_source', 'source'),
      name: cell('name'),
      notes: cell('notes'),
    }
  }
  const payout = cell('payout').replace(/\s|[$€£%]/g, ''),
    cap = cell('daily_cap'),
    percent = /%/.test(cell('payout')) || /^(percent|%|revshare|cps)$/i.test(cell('payout_type'))
  if (!point && isAmbiguous(payout)) throw new Refused('ambiguous', { field: 'payout', value: cell('payout') })
  if (!point && isAmbiguous(cap)) throw new Refused('ambiguous', { field: 'daily_cap', value: cap })
  if (payout && !(numberOf(payout, point) >= 0)) throw new Refused('invalid_number', { field: 'payout', value: cell('payout') })
  if (cap && !(Number.isInteger(numberOf(cap, point)) && numberOf(cap, point) > 0))
    throw new Refused('invalid_number', { field: 'daily_cap', value: cap })
  if (!/^([a-z]{2})?$/i.test(cell('country'))) throw new Refused('invalid_country', { value: cell('country') })
  return {
    name: cell('name'),
    url,
    network_id: named(known.networks, cell('network'), 'invalid_network', 'network'),
    payout: payout ? numberOf(payout, point) : 0,
    payout_type: percent ? 'percent' : 'fixed',
    currency: (cell('currency') || known.currency).toUpperCase(),
    country: cell('country').toUpperCase(),
    daily_cap: cap ? numberOf(cap, point) : null,
    group_name: cell('group'),
    tags: cell('tags')
      .split(/[,;|]/)
      .map(s => s.trim())
      .filter(Boolean),
    notes: cell('notes'),
  }
}

// rowsOf checks the records of a file and sends nothing.
export function rowsOf(kind: Kind, records: Cells[], at: (string | undefined)[], known: Known, why: Why, point: Point = ''): Row[] {
  const existing = new Set(
      kind === 'offers'
        ? known.offers.map(o => fold(o.name))
        : known.links.map(l => (known.domains.find(d => fold(d.domain) === fold(l.domain))?.id ?? '') + '/' + fold(l.slug)),
    ),
    before = new Map<string, number>()
  return records.map(({ line, cells }): Row => {
    const cell = (name: string) => cells[at.indexOf(name)]?.trim() ?? ''
    const title = cell(kind === 'offers' ? 'name' : 'slug'),
      detail = cell(kind === 'offers' ? 'url' : 'destination_url')
    try {
      const body = bodyOf(kind, cell, known, point),
        same = key(kind, body),
        twice = before.get(same)
      if (twice) throw new Refused('repeated', { value: String(twice) })
      before.set(same, line)
      return { line, title, detail, result: existing.has(same) ? 'exists' : 'new', code: '', text: '', body }
    } catch (e) {
      if (!(e instanceof Refused)) throw e
      return { line, title, detail, result: 'refused', code: e.code, text: why(e.code, e.of) }
    }
  })
}

// keyOf returns the Idempotency-Key of a row. The same row has the same key in every file and on every attempt, so a repeated
// attempt does not create its record twice.
export const keyOf = (kind: Kind, body: object) => 'import-' + sumOf(kind + JSON.stringify(body))
