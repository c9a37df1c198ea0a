// The texts that the Copilot's screens share.
import type { Comparison, Figure } from '../../api.gen.ts'
import { ApiError } from '../../core/call.ts'
import { sentence } from '../../core/errors.ts'
import { figures, type Name } from '../../core/figures.ts'
import { money, formatted } from '../../core/format.ts'
import { language, t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { w } from '../../text/copilot.ts'

// errorText explains an error of the Copilot.
export const errorText = (e: ApiError) => w.failed[e.code] ?? sentence(e)

export const figureName = (name: string) =>
  name === 'conversions'
    ? t.figures.conversions
    : name === 'payout'
      ? recordWords.fields.payout
      : (t.figures.names[name as Name] ?? name.replaceAll('_', ' '))
export const figureText = (name: string, value: number) =>
  name === 'payout'
    ? money(value)
    : name in figures
      ? formatted(value, figures[name as Name].kind, figures[name as Name].digits)
      : String(Math.round(value * 1000) / 1000)

export const figuresText = (list: Figure[]) => list.map(f => `${figureName(f.name)} ${figureText(f.name, f.value)}`).join(', ')

const operators: Record<string, string> = { '>=': '≥', '<=': '≤', '!=': '≠' }
// conditionsText returns the conditions of a rule as one text. All of them must hold.
export const conditionsText = (list: Comparison[]) =>
  list
    .map(c => {
      const value = c.times
        ? `${c.value === 1 ? '' : c.value.toLocaleString(language) + ' × '}${figureName(c.times)}`
        : figureText(c.figure, c.value)
      return `${figureName(c.figure)} ${operators[c.operator] ?? c.operator} ${value}`
    })
    .reduce((all, one) => (all ? t.conditions.and(all, one) : one), '')

export const effectText = (e: { value: number; low: number; high: number; unit: string }) => {
  const day = /^[A-Z]{3}/.test(e.unit)
  return {
    value: w.effect((e.value > 0 ? '+' : '') + (day ? money(e.value) : String(e.value)), e.unit.replace(/^[A-Z]{3} /, '')),
    range: w.between(day ? money(e.low) : String(e.low), day ? money(e.high) : String(e.high)),
  }
}
