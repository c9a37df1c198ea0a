// Conditions as people read and write them: the operators of an attribute, the kind of its values, and the condition as a
// sentence.
import { forms, type Form } from '../words.gen.ts'
import type { Condition } from '../api.gen.ts'
import { country } from './format.ts'
import { dimensionName, type SubNames } from './subs.ts'
import { t } from './text.ts'

// families are the prefixes of attributes that end in a name of the person's choice.
const families = ['param.', 'header.']
const familyOf = (attribute: string) => families.find(f => attribute.startsWith(f) && attribute.length > f.length)

// covers reports whether an attribute belongs to a form. A form is a group of attributes that take the same operators and the same
// kind of value.
const covers = (f: Form, attribute: string) => f.attributes.includes(attribute) || (f.families && !!familyOf(attribute))

export function formOf(attribute: string, operator: string): Form | undefined {
  const fits = forms.filter(f => f.operators.includes(operator) && covers(f, attribute))
  return fits.find(f => f.attributes.includes(attribute)) ?? fits[0]
}

const usual = [
  'country',
  'device_type',
  'os',
  'browser',
  'language',
  'connection_type',
  'hour_of_day',
  'day_of_week',
  'schedule',
  'bot_score',
  'is_bot',
  'is_unique',
  'proxy_kind',
  'referrer_domain',
  'source_id',
]
const allAttributes = [...new Set(forms.flatMap(f => f.attributes))]
export const attributes = [...usual.filter(a => allAttributes.includes(a)), ...allAttributes.filter(a => !usual.includes(a))]

// operatorsOf returns the operators of an attribute. It leaves out `in` and `not_in`, because `equals` and `not_equals` also take a
// list of values.
export function operatorsOf(attribute: string): string[] {
  const found = new Set(forms.filter(f => covers(f, attribute)).flatMap(f => f.operators))
  return [...found].filter(o => o !== 'in' && o !== 'not_in')
}

export const attributeName = (a: string, names: SubNames = {}) =>
  (names[a] && dimensionName(a, names)) ||
  (t.conditions.attributes[a] ??
    t.dimensions[a] ??
    (a.startsWith('param.')
      ? t.conditions.param(a.slice(6))
      : a.startsWith('header.')
        ? t.conditions.header(a.slice(7))
        : a.replaceAll('_', ' ')))

// plain replaces `in` by `equals`, and `not_in` by `not_equals`.
export const plain = (operator: string) => (operator === 'in' ? 'equals' : operator === 'not_in' ? 'not_equals' : operator)
export const operatorName = (operator: string, kind = '') =>
  (kind === 'truth' && operator === 'is_set' ? t.conditions.isSet : t.conditions.operators[plain(operator)]) ?? operator

export const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined || value === '' ? [] : [value]

// valueName returns a value as people read it.
export function valueName(attribute: string, value: unknown, names: Record<string, string> = {}): string {
  if (typeof value === 'boolean') return value ? t.conditions.yes : t.conditions.no
  if (attribute === 'schedule' && value && typeof value === 'object') return slotText(value as Slot)
  const text = String(value)
  if (attribute === 'day_of_week') return t.weekdays[Number(text)] ?? text
  if (attribute === 'country') return country(text)
  if (attribute === 'device_type') return t.devices[text] ?? text
  return names[text] ?? text
}

export type Slot = { days?: number[]; from?: string; to?: string }
const slotText = (s: Slot) => {
  const days = s.days?.length && s.days.length < 7 ? s.days.map(d => t.weekdays[d]?.slice(0, 3) ?? d).join(', ') : t.conditions.everyDay
  return t.conditions.slot(days, s.from ?? '00:00', s.to ?? '24:00')
}

export type Sentence = { attribute: string; operator: string; values: string[]; joined: string }

// sentenceOf returns the parts of a condition's sentence: Country · is · DE, AT or CH.
export function sentenceOf(c: Condition, names: Record<string, string> = {}, subs: SubNames = {}): Sentence {
  const kind = formOf(c.attribute, c.operator)?.kind ?? 'text',
    values = listOf(c.value)
  const short = c.attribute === 'country' && values.length > 1
  const shown = values.map(v => (short ? String(v) : valueName(c.attribute, v, names)))
  const attribute = attributeName(c.attribute, subs)
  if (c.operator === 'is_set')
    return { attribute, operator: values[0] === false ? t.conditions.isNotSet : t.conditions.isSet, values: [], joined: '' }
  if (kind === 'truth') return { attribute, operator: t.conditions.operators.equals!, values: shown, joined: shown.join() }
  const joined = c.operator === 'between' ? t.conditions.and(shown[0] ?? '', shown[1] ?? '') : joinOr(shown)
  return { attribute, operator: operatorName(c.operator, kind), values: shown, joined }
}

const few = 4 // maximum number of values that a sentence lists completely
const joinOr = (v: string[]) =>
  v.length <= 1
    ? v.join()
    : v.length > few
      ? t.conditions.more(v.slice(0, few - 1).join(', '), v.length - few + 1)
      : t.conditions.or(v.slice(0, -1).join(', '), v.at(-1)!)

export const fresh = (attribute = 'country'): Condition => {
  const operator = operatorsOf(attribute)[0] ?? 'equals',
    kind = formOf(attribute, operator)?.kind
  return {
    attribute,
    operator,
    value: kind === 'truth' ? true : kind === 'schedule' ? [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' }] : [],
  }
}

// meaning returns a condition in a form that can be compared. Two spellings of the same condition give the same result: `in` or
// `equals`, a single value or a list with only this value, a number or its text. Upper and lower case count as the same if the
// attribute has a fixed list of values.
export function meaning(c: Condition) {
  const form = formOf(c.attribute, c.operator),
    operator = plain(c.operator)
  if (form?.kind === 'schedule') return [c.attribute, operator, listOf(c.value)]
  const list = operator === 'between' && typeof c.value === 'string' ? c.value.split(',') : listOf(c.value),
    values = list.map(v => String(v).trim())
  return [c.attribute, operator, form?.values.length ? values.map(v => v.toLowerCase()) : values]
}

// sent returns a condition as the service accepts it: numbers as numbers, and a single value without a list.
export function sent(c: Condition): Condition {
  const kind = formOf(c.attribute, c.operator)?.kind,
    values = listOf(c.value)
  if (kind === 'truth' || kind === 'schedule') return c
  const typed = values.map(v =>
    kind === 'number' && typeof v === 'string' && v.trim() !== '' && Number.isFinite(Number(v)) ? Number(v) : v,
  )
  return { ...c, value: typed.length === 1 && c.operator !== 'between' ? typed[0] : typed }
}
