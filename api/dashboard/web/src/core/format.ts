// Formats numbers, money and dates for people. An unknown value is never shown as zero.
import { me, zone } from './me.ts'
import { language } from './text.ts'
import type { Day, Span } from './window.ts'
import { iso } from './window.ts'

export const none = '—'
const minus = (text: string) => text.replace('-', '−')

const numberFormats = new Map<string, Intl.NumberFormat>()
function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  let f = numberFormats.get(key)
  if (!f) numberFormats.set(key, (f = new Intl.NumberFormat(language, options)))
  return f
}

type Maybe = number | null | undefined
export const count = (n: Maybe) => (n == null ? none : minus(numbers({ maximumFractionDigits: 0 }).format(n)))
// decimal formats a number with two decimals at most. A number between -1 and 1 has two significant digits instead.
export const decimal = (n: Maybe) =>
  n == null ? none : minus(numbers(n !== 0 && Math.abs(n) < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }).format(n))
export const short = (n: Maybe) => (n == null ? none : minus(numbers({ notation: 'compact', maximumFractionDigits: 1 }).format(n)))
const currency = () => me.value?.account.currency || 'USD'
// money formats an amount. An amount under a cent has two significant digits.
export const money = (n: Maybe, digits = 2) =>
  n == null
    ? none
    : minus(
        numbers({
          style: 'currency',
          currency: currency(),
          ...(n !== 0 && Math.abs(n) < 0.01
            ? { maximumSignificantDigits: 2 }
            : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
        }).format(n),
      )
// amount formats a stored amount in its own currency. It shows all decimals of the amount, and at least two.
export const amount = (n: Maybe | string, code: string) => {
  if (n == null || n === '') return none
  const exact = { minimumFractionDigits: 2, maximumFractionDigits: 20 } // format takes a text too, without rounding it
  if (!/^[a-z]{3}$/i.test(code)) return minus(`${numbers(exact).format(n as number)} ${code}`.trim())
  return minus(numbers({ style: 'currency', currency: code.toUpperCase(), ...exact }).format(n as number))
}
// small formats a small amount, such as the price of a click.
export const small = (n: Maybe) => (n == null ? none : money(n, n !== 0 && Math.abs(n) < 1 ? 3 : 2))
// percent formats a share. A share of a thousand per cent or more has no decimals, because they say nothing.
export const percent = (n: Maybe, places = 2) => {
  if (n == null) return none
  const digits = Math.abs(n) < 1000 ? places : 0
  return minus(numbers({ style: 'unit', unit: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n))
}
export const signed = (text: string, n: number) => (n > 0 ? '+' + text : text)
export const tick = (n: number, kind: Kind) =>
  kind === 'money' || kind === 'small' ? money(n, Number.isInteger(n) ? 0 : 2) : kind === 'percent' ? percent(n, 0) : short(n)

export type Kind = 'count' | 'money' | 'small' | 'percent'
export const formatted = (n: Maybe, kind: Kind, digits?: number) =>
  kind === 'count' ? count(n) : kind === 'money' ? money(n) : kind === 'small' ? small(n) : percent(n, digits)

export const locale = language === 'en' ? 'en-GB' : language
const dateFormats = new Map<string, Intl.DateTimeFormat>()
function date(options: Intl.DateTimeFormatOptions, tz = zone.value): Intl.DateTimeFormat {
  const key = tz + JSON.stringify(options)
  let f = dateFormats.get(key)
  if (!f) dateFormats.set(key, (f = new Intl.DateTimeFormat(locale, { timeZone: tz, ...options })))
  return f
}

const utc = (d: Day) => Date.UTC(d.y, d.m - 1, d.d)
export const dayShort = (d: Day) => date({ day: 'numeric', month: 'short' }, 'UTC').format(utc(d))
export function spanText(s: Span) {
  if (iso(s.from) === iso(s.to)) return dayShort(s.to)
  return date({ day: 'numeric', month: 'short' }, 'UTC').formatRange(utc(s.from), utc(s.to))
}
const hour12 = () => me.value?.account.timeFormat === '12h'
export const hourOf = (at: number) => date({ hour: '2-digit', minute: '2-digit', hour12: hour12() }).format(at)
export const dayOf = (at: number) => date({ weekday: 'short', day: 'numeric', month: 'short' }).format(at)
export const axisDay = (at: number) => date({ weekday: 'short', day: 'numeric' }).format(at).replace(',', '')
export const axisDate = (at: number) => date({ day: 'numeric', month: 'short' }).format(at)
export const moment = (text: string) => dayOf(Date.parse(text)) + ', ' + hourOf(Date.parse(text))

const regions = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' })
export const country = (code: string) => {
  try {
    return regions.of(code) ?? code
  } catch {
    return code
  }
}
