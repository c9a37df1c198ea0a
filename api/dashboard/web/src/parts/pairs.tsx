import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { t } from '../core/text.ts'
import { Input, TagInput } from './form.tsx'
import type { Option } from '../core/choices.ts'

type Props = {
  value: Record<string, string>
  on: (v: Record<string, string>) => void
  label: string
  heads: [string, string]
  keys?: Option[]
}

// Pairs edits pairs of a name and a text. With `keys`, the names are fixed.
export function Pairs({ value, on, label, heads, keys }: Props) {
  const [rows, setRows] = useState<[string, string][]>(() => Object.entries(value))
  const send = (next: [string, string][]) => {
    setRows(next)
    on(Object.fromEntries(next.filter(([k]) => k.trim())))
  }
  if (keys)
    return (
      <div class="pairs">
        {keys.map(k => (
          <label key={k.value} class="row">
            <span class="soft key">{k.label}</span>
            <Input class="mono grow" value={value[k.value] ?? ''} on={v => on({ ...value, [k.value]: v })} spellcheck={false} />
          </label>
        ))}
      </div>
    )
  return (
    <div class="pairs">
      {rows.map(([k, v], i) => (
        <div key={i} class="row">
          <Input
            class="mono"
            aria-label={`${label}, ${heads[0]} ${i + 1}`}
            placeholder={heads[0]}
            value={k}
            on={n => send(rows.map((r, j) => (j === i ? [n, r[1]] : r)))}
          />
          <Input
            class="mono grow"
            aria-label={`${label}, ${heads[1]} ${i + 1}`}
            placeholder={heads[1]}
            value={v}
            on={n => send(rows.map((r, j) => (j === i ? [r[0], n] : r)))}
          />
          <Button
            look="quiet icon"
            aria-label={t.parts.remove(k || String(i + 1))}
            onClick={() => send(rows.filter((_, j) => j !== i))}
            icon="x"
          />
        </div>
      ))}
      <div>
        <Button look="sm" onClick={() => setRows([...rows, ['', '']])} icon="plus" text={t.parts.addRow} />
      </div>
    </div>
  )
}

type WordListProps = { value: Record<string, string[]>; on: (v: Record<string, string[]>) => void; keys: Option[] }

// WordLists edits the words that a network uses for each status.
export const WordLists = ({ value, on, keys }: WordListProps) => (
  <div class="pairs">
    {keys.map(k => (
      <div key={k.value} class="row">
        <span class="soft key">{k.label}</span>
        <TagInput label={k.label} values={value[k.value] ?? []} on={v => on({ ...value, [k.value]: v })} most={50} />
      </div>
    ))}
  </div>
)
