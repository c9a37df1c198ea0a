import { useEffect, useRef, useState } from 'preact/hooks'
import { figureName, figures, type Name } from '../core/figures.ts'
import { formatted } from '../core/format.ts'
import { boundOps, setBounds, type Ask, type Bound } from '../core/report.ts'
import { t } from '../core/text.ts'
import { Button } from './button.tsx'
import { Chip } from './chip.tsx'
import { Seg } from './form.tsx'

const signs: Record<string, string> = { '<': '<', '<=': '≤', '>=': '≥', '>': '>' }
const operators = boundOps.map(value => ({ value, label: signs[value]! }))

export function BoundChip({ ask, at }: { ask: Ask; at: number }) {
  const b = ask.having[at]!,
    { kind, digits } = figures[b.figure],
    name = figureName(b.figure)
  return (
    <Chip
      name={name}
      label={
        <>
          {name} <b>{`${signs[b.op]} ${formatted(b.value, kind, digits)}`}</b>
        </>
      }
      remove={() => setBounds(ask.having.filter((_, i) => i !== at))}>
      {close => <BoundEditor ask={ask} figure={b.figure} at={at} close={close} />}
    </Chip>
  )
}

type EditorProps = { ask: Ask; figure: Name; at?: number; close: () => void }

// BoundEditor edits a condition on a figure. `at` is its index in ask.having, or undefined for a new one.
export function BoundEditor({ ask, figure, at = ask.having.length, close }: EditorProps) {
  const old: Bound | undefined = ask.having[at],
    [op, setOp] = useState<string>(old?.op ?? '<'),
    [value, setValue] = useState(old ? String(old.value) : '0'),
    name = figureName(figure),
    input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current!.focus({ preventScroll: true })
    input.current!.select()
  }, [])
  return (
    <form
      onSubmit={e => {
        e.preventDefault()
        const next = [...ask.having]
        next[at] = { figure, op, value: Number(value) }
        setBounds(next)
        close()
      }}>
      <div class="row">
        <b>{name}</b>
        <Seg label={name} value={op} options={operators} on={setOp} />
      </div>
      <label class="field">
        <span>{t.reports.value + (figures[figure].kind === 'percent' ? ' (%)' : '')}</span>
        <input
          ref={input}
          class="input"
          type="number"
          step="any"
          min="-999999999999"
          max="999999999999"
          required
          value={value}
          onInput={e => setValue(e.currentTarget.value)}
        />
      </label>
      <Button type="submit" look="sm" text={t.reports.set} />
    </form>
  )
}
