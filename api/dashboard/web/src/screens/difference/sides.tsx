import type { Difference, DifferenceFigures } from '../../api.gen.ts'
import { amount, count } from '../../core/format.ts'
import { w } from '../../text/difference.ts'

export type Kind = 'source' | 'network'

// Measure is a figure that both sides may have: we, and the source or network. `ours` and `theirs` are the currencies of the two
// sides. They are empty if the figure is not an amount.
export type Measure = { name: keyof DifferenceFigures; label: string; compared: boolean; ours: string; theirs: string }

// measuresOf returns the figures in the order in which they are shown.
export const measuresOf = (d: Difference, kind: Kind): Measure[] =>
  (['clicks', 'conversions', 'money'] as const).map(name => ({
    name,
    label: name === 'money' ? w.money[kind] : w[name],
    compared: d.compares[name],
    ours: name === 'money' ? d.currency : '',
    theirs: name === 'money' ? d.their_currency || d.currency : '',
  }))

// Value shows a figure in a cell of a table. `currency` is the currency if the figure is an amount.
export const Value = ({ of, m, currency = m.ours, sign }: { of: DifferenceFigures; m: Measure; currency?: string; sign?: boolean }) => {
  const n = of[m.name]
  return <td class="num">{(sign && n != null && n > 0 ? '+' : '') + (m.name === 'money' ? amount(n, currency) : count(n))}</td>
}
