import { useMemo, useState } from 'preact/hooks'
import { Link } from '../../parts/button.tsx'
import { csvOf } from '../../core/csv.ts'
import { count } from '../../core/format.ts'
import type { Kind, Result, Row } from '../../core/import.ts'
import { Seg } from '../../parts/form.tsx'
import { Empty } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'
import { w } from '../../text/import.ts'
import { w as correctionWords } from '../../text/corrections.ts'

const tones: Record<Result, string> = { new: 'accent', made: 'good', exists: '', refused: 'bad', left: 'warn' }
const order: Result[] = ['new', 'made', 'exists', 'refused', 'left']

// Outcomes shows the result of each row.
export function Outcomes({ of: all, applied, kind }: { of: Row[]; applied: boolean; kind: Kind }) {
  const [filter, setFilter] = useState(''),
    rows = filter ? all.filter(r => r.result === filter) : all
  const file = useMemo(
    () =>
      'data:text/csv;charset=utf-8,' +
      encodeURIComponent(
        csvOf([
          [correctionWords.line, w.title, w.target, w.result, 'code', w.reason, 'id'],
          ...all.map(r => [String(r.line), r.title, r.detail, w.results[r.result], r.code, r.text, r.id ?? '']),
        ]),
      ),
    [all],
  )
  const columns: Column<Row>[] = [
    { name: 'line', label: correctionWords.line, left: true, phone: true, width: 56, cell: r => <span class="num dim">{r.line}</span> },
    {
      name: 'result',
      label: w.result,
      left: true,
      phone: true,
      width: 110,
      cell: r => <span class={'tag ' + tones[r.result]}>{w.results[r.result]}</span>,
    },
    {
      name: 'row',
      label: correctionWords.row,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => (
        <>
          <span class={r.text ? 'wide' : ''}>
            <Two a={r.title} b={r.detail} />
          </span>
          {r.text && (
            <span class="phone whyrow">
              <Two a={r.title} b={r.text} />
            </span>
          )}
        </>
      ),
    },
    { name: 'why', label: w.reason, left: true, cell: r => (r.text ? <Two a={r.text} b={r.code} /> : <span class="dim">—</span>) },
  ]
  return (
    <section class="card report lists">
      <header>
        <h2>{correctionWords.outcome}</h2>
        <span class={'tag ' + (applied ? 'good' : 'accent')} role="status">
          {applied ? w.isApplied : correctionWords.isDry}
        </span>
        <span class="grow" />
        <Seg
          label={correctionWords.filter}
          value={filter}
          options={[
            { value: '', label: `${correctionWords.all} ${count(all.length)}` },
            ...order
              .filter(o => all.some(r => r.result === o))
              .map(o => ({ value: o, label: `${w.results[o]} ${count(all.filter(r => r.result === o).length)}` })),
          ]}
          on={setFilter}
        />
        <Link href={file} download={`import-${kind}.csv`} text={w.download} />
      </header>
      {rows.length === 0 ? (
        <Empty title={correctionWords.nothing} />
      ) : (
        <Table
          label={correctionWords.outcome}
          rows={rows}
          columns={columns}
          keyOf={r => String(r.line)}
          nameOf={r => r.title}
          height={44}
        />
      )}
    </section>
  )
}
