// Explains how a postback is read: the meaning of its parameters, and the probable reason that it found no click.
import type { NetworkRow, NetworkPut, PostbackRow } from '../api.gen.ts'
import { postbackNames } from '../columns.gen.ts'
import { t } from './text.ts'
import { unmatchedWords } from '../text/unmatched.ts'

export const fields = Object.keys(t.unmatched.fields)
const mask = '***' // what the service shows in place of a secret value

export const paramsOf = (query: string) => [...new URLSearchParams(query)]
// macro matches a value that is still the macro of a network, which the network should have replaced.
const macro = /^(\{+.*\}+|\$\{.*\}|\[+.*\]+|#.*#|%%.*%%|__.*__|!!!.*!!!|<.*>)$/

// readAs returns the field that a parameter is read as. The network's settings take precedence over the usual names.
export function readAs(param: string, settings: Record<string, string>): string | undefined {
  const name = param.toLowerCase()
  return fields.find(f => settings[f]?.trim().toLowerCase() === name) ?? fields.find(f => postbackNames[f]!.includes(name))
}

export type Cause = { kind: 'macro' | 'wrong' | 'ready' | 'hidden' | 'empty' | 'gone'; param?: string; value?: string }

export function causeOf(row: PostbackRow, settings: Record<string, string> = {}): Cause {
  if (row.click_id) return { kind: 'gone' }
  const all = paramsOf(row.query),
    named = all.filter(([p]) => readAs(p, settings) === 'click_id')
  const unfilled = named.find(([, v]) => macro.test(v))
  if (unfilled) return { kind: 'macro', param: unfilled[0], value: unfilled[1] }
  const wrong = named.find(([, v]) => v && v !== mask)
  if (wrong) return { kind: 'wrong', param: wrong[0], value: wrong[1] }
  if (named.some(([, v]) => v === mask)) return { kind: 'ready', param: named[0]![0] }
  const hidden = all.filter(([p, v]) => v === mask && !readAs(p, settings)).map(([p]) => p)
  return hidden.length ? { kind: 'hidden', param: hidden.join(', ') } : { kind: 'empty' }
}

export function causeText({ kind, param, value }: Cause) {
  const text = unmatchedWords.causes[kind]
  return typeof text === 'string' ? text : text(param!, value!)
}

// settings are the fields of a network that a PUT writes, except the postback parameters and the secret.
const settings = [
  'id',
  'name',
  'currency',
  'status_map',
  'answer_text',
  'url',
  'offer_type',
  'group_name',
  'notes',
  'manager_name',
  'manager_email',
  'manager_phone',
  'manager_im',
  'payment_terms',
  'payment_frequency',
  'tags',
  'minimum_payout',
  'macros',
  'click_param',
  'postback_scheme',
] as const

// bodyOf returns a network as the body of a PUT, with other postback parameters. It leaves the secret out, so that the saved
// secret stays.
export const bodyOf = (n: NetworkRow, postback_params: Record<string, string>): NetworkPut => ({
  ...(Object.fromEntries(settings.map(name => [name, n[name]])) as Pick<NetworkPut, 'name' | (typeof settings)[number]>),
  postback_params,
})
