// The tracking link: its parameters and their meanings, and parameters that a person adds.
import type { SourceRow } from '../api.gen.ts'
import { t } from './text.ts'

// originOf returns the origin of the addresses on a tracking domain, as the service builds tracking links. This install itself
// serves a shared domain, so the origin has the scheme and the port of this page. An account's own domain has https.
export const originOf = (domain: string, isShared: boolean, at: Pick<Location, 'protocol' | 'port'> = location) =>
  isShared ? `${at.protocol}//${domain}${at.port && ':' + at.port}` : 'https://' + domain

type Domain = { id: string; is_default: boolean }
type Domains = { rows: (Domain & { is_verified: boolean; points: boolean | null })[]; shared: Domain[] }

// defaultDomain returns the id of the domain for a new tracking link: the account's default, a verified one, or a shared one.
// An account's domain whose DNS points elsewhere is the last choice.
export function defaultDomain({ rows, shared }: Domains): string {
  const works = rows.filter(d => d.points !== false),
    own = (of: typeof rows) => of.find(d => d.is_default) ?? of.find(d => d.is_verified)
  return (own(works) ?? shared.find(d => d.is_default) ?? shared[0] ?? own(rows))?.id ?? ''
}

// tagOf returns the address of the page tag on a domain. `name` is the domain's own name for the tag.
export const tagOf = (origin: string, name?: string) => `${origin}/${name || 't'}.js`

export type Param = { name: string; macro: string; meaning: string }

// paramsOf returns the parameters of a link with the source's macros. Macros are not escaped, so the query is split by hand.
export function paramsOf(link: string, source?: Pick<SourceRow, 'subs' | 'cost_param' | 'external_id_param'>): Param[] {
  const query = link.split('?')[1]?.split('#')[0] ?? ''
  const external = source?.external_id_param || 'external_id',
    cost = source?.cost_param || 'cost'
  return query
    .split('&')
    .filter(Boolean)
    .map(pair => {
      const at = pair.indexOf('='),
        name = decode(at < 0 ? pair : pair.slice(0, at)),
        macro = at < 0 ? '' : pair.slice(at + 1),
        sub = source?.subs.find(s => s.param.toLowerCase() === name.toLowerCase())
      const meaning = name === external ? t.link.external : name === cost ? t.link.cost : sub ? t.link.sub(sub.sub, sub.name) : t.link.own
      return { name, macro, meaning }
    })
}
// decode returns a text without its % escapes.
export const decode = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const unknownMacro = /\$?\{[^}]*\}|%%?[A-Za-z_]+%%?|\[[A-Za-z_]+\]|#+[A-Za-z_]+#+/g

// sampled returns a link as the source would call it, with made-up values in place of the macros.
export function sampled(
  link: string,
  source?: Pick<SourceRow, 'token_macros' | 'cost_param' | 'cost_macro' | 'external_id_macro'>,
): string {
  const macros = new Set([...Object.values(source?.token_macros ?? {}), source?.cost_macro, source?.external_id_macro]),
    cost = (source?.cost_param || 'cost').toLowerCase()
  return link.replace(/([?&])([^=&]*)=([^&]*)/g, (_, sep: string, name: string, value: string) => {
    const isMacro = value !== '' && (macros.has(value) || macros.has(decode(value))),
      filled = isMacro ? 'test-' + name : value.replace(unknownMacro, m => m.replace(/[^A-Za-z0-9]/g, '') || '1')
    return `${sep}${name}=${filled !== value && decode(name).toLowerCase() === cost ? '0.01' : filled}`
  })
}

// withParams appends the person's own parameters to a link. The braces and the ${ of macros are not escaped.
export function withParams(link: string, own: [string, string][]): string {
  const more = own
    .filter(([name]) => name.trim())
    .map(
      ([name, value]) =>
        encodeURIComponent(name.trim()) +
        '=' +
        encodeURIComponent(value)
          .replace(/%7B/gi, '{')
          .replace(/%7D/gi, '}')
          .replace(/%24(?=\{)/g, '$'),
    )
    .join('&')
  return more ? link + (link.includes('?') ? '&' : '?') + more : link
}
