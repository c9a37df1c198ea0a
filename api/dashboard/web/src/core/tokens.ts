// The tokens of an address: {name}, {name:argument}, {param.name}. An unknown token is left unchanged.
import { mostSubs } from '../subs.gen.ts'
import { decode } from './link.ts'
import { tokens } from '../words.gen.ts'

// conversionOnly says for each name of a token whether only postbacks fill that token.
const conversionOnly = new Map<string, boolean>()
for (const k of tokens)
  for (const name of [k.name.split(/[:.](?=[A-Z\d]|d\.)/)[0]!, ...k.aliases]) conversionOnly.set(name.toLowerCase(), k.of_conversion)

export type Part = { text: string; state: 'text' | 'known' | 'unknown' | 'conversion' }

// partsOf splits an address into its parts. Tokens of a conversion are known only inside a postback.
export function partsOf(url: string, postback = false): Part[] {
  const out: Part[] = []
  let at = 0
  for (const m of url.matchAll(/\{([^{}]*)\}/g)) {
    if (m.index > at) out.push({ text: url.slice(at, m.index), state: 'text' })
    out.push({ text: m[0], state: stateOf(m[1]!, postback) })
    at = m.index + m[0].length
  }
  if (at < url.length) out.push({ text: url.slice(at), state: 'text' })
  return out
}

function stateOf(name: string, postback: boolean): Part['state'] {
  const base = name.split(':')[0]!.toLowerCase(),
    sub = /^(?:sub|sub_id_|subid|var|t)([1-9]\d?)$/.exec(base)?.[1]
  if (/^(param\.|var:)./.test(name.toLowerCase()) || Number(sub) <= mostSubs || /^(date|random|sample)$/.test(base)) return 'known'
  const conversion = conversionOnly.get(base)
  return conversion === undefined ? 'unknown' : conversion && !postback ? 'conversion' : 'known'
}

const clickID = tokens.find(k => k.name === 'clickid')!,
  clickIDNames = new Set([clickID.name, ...clickID.aliases])
// hasClickID reports whether an address has a token of the click id.
export const hasClickID = (url: string) => [...url.matchAll(/\{([^{}:]*)[^{}]*\}/g)].some(m => clickIDNames.has(m[1]!.toLowerCase()))

// withParam returns an address with one more parameter, which stands before the fragment.
function withParam(url: string, name: string, value: string): string {
  const [base = '', ...fragment] = url.split('#'),
    sep = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&'
  return [`${base}${sep}${encodeURIComponent(name)}=${value}`, ...fragment].join('#')
}

// insertToken puts a token into an address, and returns the place of the caret after the token. In an empty address, after an
// equals sign and in the middle, the token replaces the selected text. Otherwise it becomes a parameter.
export function insertToken(url: string, name: string, from: number, to: number): { url: string; at: number } {
  const token = `{${name}}`
  if (!url || (from > 0 && to < url.length) || url[from - 1] === '=')
    return { url: url.slice(0, from) + token + url.slice(to), at: from + token.length }
  const out = withParam(url, name.split(/[:.]/)[0]!, token)
  return { url: out, at: out.indexOf(token, url.split('#')[0]!.length) + token.length }
}

// clickIDPart returns what an address lacks so that its page learns the click id.
export const clickIDPart = (url: string) =>
  hasClickID(url) ? '' : withParam(url, 'clickid', '{clickid}').slice(url.split('#')[0]!.length).split('#')[0]!

// clickIDParams returns the names of the parameters that hold the click id, as written.
const clickIDParams = (url: string) => [...url.matchAll(/[?&]([^=&#]+)=([^&#]*)/g)].filter(m => hasClickID(m[2]!)).map(m => m[1]!)

// clickIDParam returns the name of the first parameter of an address that holds the click id, or an empty text.
export const clickIDParam = (url: string) => clickIDParams(url)[0] ?? ''

// hasClickIDIn reports whether a parameter of an address holds the click id.
export const hasClickIDIn = (url: string, param: string) =>
  clickIDParams(url.split('#')[0]!).some(name => decode(name).toLowerCase() === param.toLowerCase())

// withClickID returns the address of an offer as visitors get it. The redirect adds the parameter in which the network takes the click
// id, before the fragment, unless the address has a token of the click id.
export function withClickID(url: string, param: string): string {
  if (!param || hasClickID(url)) return url
  return withParam(url, param, '{clickid}')
}

// looksLikeURL is a first check while a person types.
export const looksLikeURL = (url: string) => /^https?:\/\/[^\s/{}?#]+/i.test(url) && !/\s/.test(url.replace(/\{\w+:[^{}]*\}/g, ''))
