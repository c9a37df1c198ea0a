import { useState } from 'preact/hooks'
import type { NetworkReport } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { base64Of, mostBytes } from '../../core/csv.ts'
import { count } from '../../core/format.ts'
import { touches } from '../../core/query.ts'
import { w } from '../../text/difference.ts'
import { Source } from '../../parts/csv.tsx'
import { Failed, Alert } from '../../parts/state.tsx'

// Upload takes the network's own report. The report is compared with our figures and does not change them.
export function Upload({ id, basis }: { id: string; basis?: string }) {
  const [text, setText] = useState(''),
    [saved, setSaved] = useState<NetworkReport>(),
    [tooLarge, setTooLarge] = useState(false),
    { busy, wrong: error, run } = useAttempt(asError)
  const send = (body: { csv: string } | { file: string }) =>
    run(async () => {
      setSaved(await call('POST /networks/{id}/report', { path: { id }, body }))
      touches('networks')
    })
  const set = (v: string) => {
    setText(v)
    setTooLarge(false)
  }
  return (
    <Card title={w.upload}>
      <div class="part">
        <p class="dim">{w.uploadText}</p>
        <Source
          example={'date,clicks,conversions,payout\n'}
          text={text}
          set={set}
          onFile={f => void base64Of(f).then(file => send({ file }))}
          tooLarge={() => setTooLarge(true)}
        />
        {tooLarge && <Alert text={w.tooLarge} />}
        {error && <Failed error={error} again={() => void send({ csv: text })} />}
        {saved && <Saved of={saved} />}
        {saved?.kind === 'totals' && basis === 'orders' && <p class="warn">{w.ordersFirst}</p>}
        <div class="row">
          <Button
            look="primary"
            disabled={busy || !text.trim() || text.length > mostBytes}
            onClick={() => void send({ csv: text })}
            text={w.uploadButton}
          />
        </div>
      </div>
    </Card>
  )
}

// Saved says how many rows of a report were stored, and why others were refused.
const Saved = ({ of: r }: { of: NetworkReport }) => (
  <div role="status">
    <p>
      {w.uploaded(r.stored, count(r.stored))}
      {r.from && r.to && `, ${r.from} – ${r.to}`}. {w.readAs[r.kind]}
    </p>
    {r.truncated && <p class="warn">{w.truncated(count(r.total))}</p>}
    {r.refused > 0 && (
      <>
        <p class="warn">{w.refusedRows(r.refused, count(r.refused))}</p>
        <ul>
          {r.refusals.map(e => (
            <li key={e.line}>{w.line(e.line, e.reason)}</li>
          ))}
        </ul>
      </>
    )}
  </div>
)
