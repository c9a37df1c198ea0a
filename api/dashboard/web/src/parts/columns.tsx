// Column is a bar of Columns. `was` is the value in the previous window, which is drawn as a line.
export type Column = { key: string; name: string; tick: string; value: number | null; text: string; was?: number | null; wasText?: string }

type Props = { label: string; columns: Column[]; tone?: string }

// ticksOf returns the largest number of ticks that fit below the bars.
const ticksOf = () => (innerWidth < 720 ? 6 : 14)

// Columns shows values in their order as upright bars. Bars of negative values hang below the line of zero.
export function Columns({ label, columns, tone = '--s-clicks' }: Props) {
  const values = columns.flatMap(c => [c.value ?? 0, c.was ?? 0]),
    low = Math.min(0, ...values),
    high = Math.max(0, ...values),
    all = high - low || 1,
    compared = columns.some(c => c.was),
    every = Math.ceil(columns.length / ticksOf())
  const at = (v: number) => ((high - v) / all) * 100
  return (
    <div class="columns" role="img" aria-label={label} style={`--tone:var(${tone});--zero:${at(0)}%`}>
      <div class="bars">
        {columns.map(c => (
          <span key={c.key} title={`${c.name}: ${c.text}${c.wasText ? ` (${c.wasText})` : ''}`}>
            {c.value !== null && c.value !== 0 && (
              <i
                class={c.value < 0 ? 'neg' : ''}
                style={`top:${at(Math.max(0, c.value))}%;height:${Math.max(0.5, (Math.abs(c.value) / all) * 100)}%`}
              />
            )}
            {compared && c.was != null && <u style={`top:${at(c.was)}%`} />}
          </span>
        ))}
      </div>
      <div class="ticks dim num" aria-hidden="true">
        {columns.map((c, i) => (
          <span key={c.key}>{i % every === 0 && <b>{c.tick}</b>}</span>
        ))}
      </div>
    </div>
  )
}
